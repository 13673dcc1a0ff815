// The address of a view as it stands, #view=AttentionView&sentence=…&layer=4&pin=[["query",2]], and what an address may open.
//
// A state may come from a stranger: it is data. Only traits that the page knows are set (`takes`, of canvas.py), only to values of the
// kind, range and length that they take; where places are counted or things have names, by what the view shows.

export const LONGEST = 6000;   // characters of an address after its #
const MOST_ITEMS = 5000;

/** The part of an address that names a view and its state; sentence: null where none was typed. */
export function addressOf(view, sentence, state) {
  const parts = new URLSearchParams({ view, ...(sentence === null ? {} : { sentence }) });
  for (const [name, value] of Object.entries(state)) parts.set(name, JSON.stringify(value));
  return `#${parts}`;
}

/** What an address asks for, { view, sentence, state }, nothing where it names no view; what is no state is refused in a sentence. */
export function askedIn(hash) {
  if (!hash.startsWith("#view=")) return null;
  if (hash.length > LONGEST) throw new Error(`it has ${hash.length} characters, more than the ${LONGEST} that are read.`);
  const parts = [...new URLSearchParams(hash.slice(1))], names = parts.map(([name]) => name), state = new Map();
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Error(`it says ${shortly(twice)} twice.`);
  const { view, sentence = null } = Object.fromEntries(parts.filter(([name]) => name === "view" || name === "sentence"));
  for (const [name, text] of parts) {
    if (name === "view" || name === "sentence") continue;
    try { state.set(name, JSON.parse(text)); } catch { throw new Error(`${shortly(name)} is ${shortly(text)}, which is cut or no value.`); }
  }
  return { view, sentence, state };
}

/** What a stranger wrote, no longer than a line has room for. */
export const shortly = (text) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** What lies on a path of names, "kinds.n_heads"; of several things, what lies there of each. */
const at = (known, path) => path.split(".").reduce((part, name) =>
  (Array.isArray(part) ? part.map((each) => each?.[name]) : part?.[name]), known);

/** How many there are on a path: a number as it is, of several the largest, else how many things. */
function count(known, path) {
  const part = at(known, path);
  if (Array.isArray(part) && part.length && part.every((each) => typeof each === "number")) return Math.max(...part);
  return typeof part === "number" ? part : Array.isArray(part) ? part.length : Object.keys(part ?? {}).length;
}

/** Whether a number is in range; known: null while what is counted is not known yet. */
function inRange(number, { min, max, step, below, to }, known) {
  if (!Number.isFinite(number) || number < (min ?? -Infinity) || number > (max ?? Infinity)) return false;
  if (step && (number - min) % step !== 0) return false;
  if (known && below && number >= count(known, below)) return false;
  return !(known && to && number > count(known, to));
}

const plain = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Whether a value is built as another is: numbers where that has numbers, lists of the same length, the same names. */
function alike(value, other) {
  if (other === null) return true;   // not known yet
  if (Array.isArray(other)) return Array.isArray(value) && value.length === other.length && other.every((each, n) => alike(value[n], each));
  if (!plain(other)) return typeof value === typeof other && (typeof value !== "number" || Number.isFinite(value));
  const names = Object.keys(other);
  return plain(value) && Object.keys(value).length === names.length
    && names.every((name) => Object.hasOwn(value, name) && alike(value[name], other[name]));
}

const KINDS = {
  bool: (value) => typeof value === "boolean",
  int: (value, takes, known) => Number.isSafeInteger(value) && inRange(value, takes, known),
  float: (value, takes, known) => typeof value === "number" && inRange(value, takes, known),
  text: (value, { least, most }) => typeof value === "string" && value.length <= most && value.trim().length >= least,
  any: (value, { of }, known) => of.some((part) => fits(value, part, known)),
  one: (value, { values = [], among }, known) => ["string", "number"].includes(typeof value)
    && (values.includes(value) || (among !== undefined && (!known || [at(known, among)].flat().includes(value)))),
  list(value, { of, least = 0, most = MOST_ITEMS, long }, known) {
    if (!Array.isArray(value) || value.length < least || value.length > most) return false;
    const n = long && known ? long.reduce((all, path) => all * count(known, path), 1) : value.length;
    return value.length === n && value.every((each) => fits(each, of, known));
  },
  map: (value, { of, most }, known) => plain(value) && Object.keys(value).length <= most
    && Object.entries(value).every(([name, part]) => name.length <= 60 && fits(part, of, known)),
  like: (value, _, known, now) => alike(value, now),
  row: (value, { of, or_none }, known) => Array.isArray(value) && ((or_none && value.length === 0)
    || (value.length === of.length && value.every((each, n) => fits(each, of[n], known)))),
};

/** Whether a trait takes a value. takes: { is: one of KINDS, … }; known: the view's traits and meta, null before they are known; now: what
 * the trait is. */
export const fits = (value, takes, known = null, now = null) => Object.hasOwn(KINDS, takes?.is)
  && !(known && takes.where && !at(known, takes.where)) && KINDS[takes.is](value, takes, known, now);

/** Refuse a value that a trait does not take. */
export function check(name, value, takes, known = null, now = null) {
  if (!Object.hasOwn(takes, name)) throw new Error(`this view has no ${shortly(name)} that can be set.`);
  if (!fits(value, takes[name], known, now)) throw new Error(`${name} cannot be ${shortly(JSON.stringify(value))} here.`);
}
