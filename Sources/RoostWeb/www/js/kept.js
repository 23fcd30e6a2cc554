// What this browser keeps for the next visit, or in `sessionStorage` until its tab is closed. One that keeps nothing has null.

export function kept(name, storage = "localStorage") {
  try { return globalThis[storage].getItem(`roost.${name}`); } catch { return null; }
}

export function keep(name, value, storage = "localStorage") {
  try { globalThis[storage].setItem(`roost.${name}`, value); } catch { /* Then it is forgotten. */ }
}
