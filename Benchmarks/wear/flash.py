"""What two simple flash controllers make of the requests of a pattern.

A card programs pages of 16 KiB and erases blocks of 4 MiB. A request is durable when the card has
answered it, so each one programs whole pages, however few bytes it has. Wear is spread evenly over
the card, which is worn out when every block has been erased as often as it can be.

page   Maps each page by itself: writes go one behind the other, wherever they belong, and the block
       with the fewest living pages is collected when free blocks run out. 7 % of the card is spare;
       the rest is full of data that nobody touches, and takes part in levelling the wear at no cost.
block  Maps whole blocks and keeps 4 log blocks, as cheap cards do. A log takes the pages of one block;
       when it is full, or another block needs it, both are merged: 4 MiB are programmed anew.
       - Source of the scheme: Kim, Kim, Noh, Min, Cho, A Space-Efficient Flash Translation Layer for
         CompactFlash Systems, IEEE Transactions on Consumer Electronics 48 (2002), section III.
"""

from collections import OrderedDict

PAGE = 16 << 10
ERASE_BLOCK = 4 << 20
PAGES_PER_BLOCK = ERASE_BLOCK // PAGE
CARD_BYTES = 16_000_000_000
CYCLES = 1_000  # Cautious for TLC; StorePlan's FlashModel has the same.
SPARE = 0.07
LOG_BLOCKS = 4
# Pages programmed at most to reach a steady state: some seconds of work.
STEADY_PAGES = 600_000


def pages(requests):
    """The pages that each request touches, one after the other."""
    sectors = PAGE // 512
    return [page for _, first, count in requests
            for page in range(first // sectors, (first + count - 1) // sectors + 1)]


def page_mapped(touched):
    """Pages programmed for each page touched, once every spare page has been used."""
    living = len(set(touched))
    spare = int(CARD_BYTES * SPARE) // ERASE_BLOCK
    blocks = -(-living // PAGES_PER_BLOCK) + spare
    place, owners, valid = {}, [[] for _ in range(blocks)], [0] * blocks
    free, head = list(range(1, blocks)), 0
    programmed = asked = begun = 0
    waiting = []
    while asked < STEADY_PAGES:
        waiting.extend(reversed(touched))
        while waiting:
            page = waiting.pop()
            if len(owners[head]) == PAGES_PER_BLOCK:
                if len(free) < 2:
                    victim = min((b for b in range(blocks) if b != head and owners[b]),
                                 key=valid.__getitem__)
                    alive = [p for i, p in enumerate(owners[victim])
                             if place.get(p) == (victim, i)]
                    for moved in alive:
                        del place[moved]
                    owners[victim], valid[victim] = [], 0
                    free.append(victim)
                    # The living pages first; nobody asked for those.
                    waiting += [page] + alive
                    asked -= len(alive)
                    page = waiting.pop()
                head = free.pop(0)
            if page in place:
                valid[place[page][0]] -= 1
            place[page] = (head, len(owners[head]))
            owners[head].append(page)
            valid[head] += 1
            programmed += 1
            asked += 1
        if programmed < blocks * PAGES_PER_BLOCK:
            begun = (programmed, asked)
        elif asked - begun[1] >= max(len(touched), 20_000):
            break
    return (programmed - begun[0]) / max(asked - begun[1], 1)


def block_mapped(touched):
    """Pages programmed for each page touched."""
    logs, programmed, asked, rounds = OrderedDict(), 0, 0, 0
    while rounds < 2 or asked < 20_000:
        for page in touched:
            block = page // PAGES_PER_BLOCK
            if logs.get(block, PAGES_PER_BLOCK) == PAGES_PER_BLOCK:
                if block in logs or len(logs) == LOG_BLOCKS:
                    logs.pop(block, None) or logs.popitem(last=False)
                    programmed += PAGES_PER_BLOCK
                logs[block] = 0
            logs[block] += 1
            logs.move_to_end(block)
            programmed += 1
        asked += len(touched)
        rounds += 1
    return programmed / asked


def years(bytes_per_day):
    """Until every block has been erased as often as it can be."""
    return CARD_BYTES * CYCLES / bytes_per_day / 365.25


def figures(requests, days):
    """Bytes that each controller programs a day, and how long the card lasts."""
    touched = pages(requests)
    found = {"requestPagesPerDay": len(touched) / days}
    for name, model in (("page", page_mapped), ("block", block_mapped)):
        programmed = len(touched) * model(touched) * PAGE / days
        found[name] = {"programmedBytesPerDay": programmed, "cardYears": years(programmed)}
    return found
