// What an account may do.
const RANKS = ["viewer", "member", "owner"];

export const may = (me, least) => RANKS.indexOf(me?.role) >= RANKS.indexOf(least ?? "viewer");
