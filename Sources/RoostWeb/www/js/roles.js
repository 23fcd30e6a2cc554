// What an account may do.
const RANKS = ["viewer", "member", "owner"];

/** Whether this account may do what needs the role `least`. */
export const may = (me, least) => RANKS.indexOf(me?.role) >= RANKS.indexOf(least ?? "viewer");
