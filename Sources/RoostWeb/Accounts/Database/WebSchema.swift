import SQLite

/// Tables of web.db; a step that was released never changes.
enum WebSchema {
    static let migrations = Migrations([
        Migration(
            "1 accounts",
            sql: """
                CREATE TABLE accounts(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                    email TEXT NOT NULL UNIQUE COLLATE NOCASE, password TEXT NOT NULL,
                    role TEXT NOT NULL, location TEXT, preferences TEXT NOT NULL DEFAULT '{}',
                    created INTEGER NOT NULL
                );
                CREATE TABLE sessions(
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
                    hash BLOB NOT NULL UNIQUE, created INTEGER NOT NULL,
                    last_used INTEGER NOT NULL, agent TEXT NOT NULL, address TEXT NOT NULL
                );
                CREATE INDEX sessions_of_account ON sessions(account, last_used);
                CREATE TABLE tokens(
                    id TEXT NOT NULL PRIMARY KEY,
                    account INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
                    name TEXT NOT NULL, scopes TEXT NOT NULL, hash BLOB NOT NULL,
                    created INTEGER NOT NULL, last_used INTEGER, expires INTEGER NOT NULL
                );
                CREATE TABLE invitations(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, hash BLOB NOT NULL UNIQUE,
                    role TEXT NOT NULL, author TEXT NOT NULL, created INTEGER NOT NULL,
                    expires INTEGER NOT NULL
                );
                CREATE TABLE audit(
                    id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL,
                    actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL,
                    address TEXT NOT NULL
                );
                CREATE TABLE claim(
                    one INTEGER PRIMARY KEY CHECK (one = 1), hash BLOB, boot TEXT,
                    made REAL, tries INTEGER NOT NULL, name TEXT, time INTEGER
                );
                """
        ),
        Migration(
            "2 faces",
            sql: """
                CREATE TABLE faces(key TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL);
                CREATE TABLE alert_cursors(
                    client TEXT NOT NULL PRIMARY KEY, judged_to INTEGER NOT NULL,
                    skipped INTEGER NOT NULL, used INTEGER NOT NULL
                );
                """
        ),
        // Sessions from before are as old as the date said when one of them was last used.
        Migration(
            "3 session ages",
            sql: """
                CREATE TABLE session_age(
                    one INTEGER PRIMARY KEY CHECK (one = 1), count REAL NOT NULL,
                    boot TEXT NOT NULL, uptime REAL NOT NULL, dated REAL, wall INTEGER,
                    dated_boot TEXT
                );
                INSERT INTO session_age(one, count, boot, uptime) VALUES (1, 0, '', 0);
                ALTER TABLE sessions ADD COLUMN born INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE sessions ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
                UPDATE sessions SET
                    born = created - (SELECT max(last_used) FROM sessions),
                    used = last_used - (SELECT max(last_used) FROM sessions);
                """
        ),
        // Those from before end as the dates say, by the latest date at which the age of sessions
        // is known to have been counted; none later than it may have been made.
        Migration(
            "4 token ages",
            sql: """
                ALTER TABLE session_age ADD COLUMN birth INTEGER;
                ALTER TABLE session_age ADD COLUMN low INTEGER;
                ALTER TABLE session_age ADD COLUMN high INTEGER;
                ALTER TABLE session_age ADD COLUMN since INTEGER;
                UPDATE session_age SET birth = wall - CAST(dated AS INTEGER);
                ALTER TABLE tokens ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE invitations ADD COLUMN ends INTEGER NOT NULL DEFAULT 0;
                UPDATE tokens SET ends = (
                    SELECT count + min(expires - created, expires - date) FROM \(counted));
                UPDATE invitations SET ends = (
                    SELECT count + min(expires - created, expires - date) FROM \(counted));
                """
        ),
    ])

    /// Step 4: the count of `session_age`, and the date that belongs to it.
    ///
    /// Every change counts on, and the newest line of the audit dates few of them: a last use and
    /// a trusted date are as good.
    private static let counted = """
        (SELECT CAST(count AS INTEGER) AS count, max(
            ifnull((SELECT time FROM audit ORDER BY id DESC LIMIT 1), 0),
            ifnull((SELECT max(last_used) FROM sessions), 0),
            ifnull((SELECT max(last_used) FROM tokens), 0),
            ifnull(wall + CAST(round(count - dated) AS INTEGER), 0)) AS date
        FROM session_age)
        """
}
