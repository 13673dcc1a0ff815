// The door to the page's model: ask(question) answers from a worker, or where the page may have none in slices on the page itself.
//
// The weights are read when the first question comes. A question is of questions.js; they are answered one after the other, each tells
// how far it is, and may be given up.

import { sliced } from "./engine.js";
import { translatorOf, unpackedModel } from "./checkpoint.js";
import { answer } from "./questions.js";

/** What is wrong with a model that came from `where` and should be { name, sha256 }, sha256 if it matters; "" if nothing is. */
const wrongWith = (model, where, { name, sha256 }) => (!model ? `${where} is cut or damaged; copy it again.`
  : model.name !== name ? `${where} holds the model ${model.name}, but this page needs ${name}.`
    : sha256 && model.sha256 !== sha256 ? `${where} holds another ${name} than this page was made with; make the pages again.` : "");

/** A packed model that the page holds itself, in a script that is not run. */
export async function modelWithin(needed) {
  const models = [...document.querySelectorAll('script[type="application/x-model"]')].map(({ textContent }) => {
    try { return JSON.parse(textContent); } catch { return null; }
  });
  const model = models.find((each) => each?.name === needed.name) ?? null, problem = wrongWith(model, "This page", needed);
  if (problem) throw new Error(problem);
  return model;
}

/** A packed model from its script beside the page, added when it is needed; `needed` is { name, sha256 }, sha256 if it matters. */
export function modelBeside(src, needed) {
  return new Promise((resolve, reject) => {
    let model = null;
    const file = decodeURIComponent(src.split("/").at(-1));
    const hear = ({ detail }) => { model = detail; }, script = Object.assign(document.createElement("script"), { src });
    const done = (problem) => {
      document.removeEventListener("pg-model", hear);
      script.remove();
      if (problem) reject(new Error(problem));
      else resolve(model);
    };
    script.onerror = () => done(`${file} is missing beside this page, so nothing new can be computed; what is shown was stored.`);
    script.onload = () => done(wrongWith(model, file, needed));
    document.addEventListener("pg-model", hear);
    document.head.append(script);
  });
}

/** Who answers: a translator, and the questions that wait for it. `tell` hears { id, told }, { id, answer } and { id, error }. */
class Desk {
  constructor(tell, ms) { Object.assign(this, { tell, ms, leaving: new Map(), last: Promise.resolve() }); }

  hear({ id, load, question, cancel, way }) {
    if (cancel) return this.leaving.get(id)?.abort();
    const leaving = new AbortController();
    this.leaving.set(id, leaving);
    this.last = this.last.then(async () => {
      try {
        const { signal } = leaving, work = () => this.work(id, answer(question, this.translator), signal);
        this.tell({ id, answer: await (load ? this.load(id, load, way, signal) : work()) });
      } catch (error) {
        this.tell({ id, error: error.message, name: error.name });
      }
      this.leaving.delete(id);
    });
  }

  work(id, work, signal) { return sliced(work, { ms: this.ms, signal, told: (told) => this.tell({ id, told }) }); }

  async load(id, model, way, signal) {
    const files = await unpackedModel(model, ({ n, limit }) => this.tell({ id, told: { reading: n / limit } }));
    this.translator = await this.work(id, translatorOf({ config: model.config, ...files }, way), signal);
    return { way: this.translator.way };
  }
}

/** A worker that runs these scripts, once it says that it is there; null where there may be none. */
function workerOf(source) {
  return new Promise((resolve) => {
    let worker, address;
    const done = (result) => {
      if (address) URL.revokeObjectURL(address);
      if (worker) worker.onmessage = worker.onerror = null;
      resolve(result);
    };
    try {
      address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
      worker = new Worker(address);
      worker.onmessage = () => done(worker);
      worker.onerror = (event) => { event.preventDefault(); done(null); };
    } catch {
      done(null);
    }
  });
}

/** ask({ kind, … }, { told, signal }) gives a promise of the answer.
 *
 * source: these scripts as text, for the worker; null: none. read: gives a packed model, or a promise of one. way: "plain" forbids
 * WebAssembly. `about` is { where, way, name, precision } once the first question was answered. */
export class Answers {
  constructor({ source, read, way = "" }) {
    Object.assign(this, { source, read, way, waiting: new Map(), n: 0, about: null, ready: null, close: () => {} });
  }

  async ask(question, { told = () => {}, signal = null } = {}) {
    signal?.throwIfAborted();
    this.ready ??= this.open((part) => this.opening?.(part)).catch((error) => {
      this.ready = null;   // the next question tries again
      this.close();
      throw error;
    });
    this.opening = told;
    await this.ready;
    return this.send({ question }, told, signal);
  }

  /** Open the worker, or the page's own desk, and let it read the weights. */
  async open(told) {
    told({ reading: 0 });
    const [worker, model] = await Promise.all([this.source ? workerOf(this.source) : null, this.read()]);
    if (worker) {
      worker.onmessage = ({ data }) => this.hear(data);
      worker.onerror = (event) => { event.preventDefault(); this.lost(); };
      this.post = (message) => worker.postMessage(message);
      this.close = () => worker.terminate();
    } else {
      const desk = new Desk((message) => this.hear(message), 20);
      this.post = (message) => desk.hear(message);
    }
    const { way } = await this.send({ load: model, way: this.way }, told);
    this.about = { where: worker ? "worker" : "page", way, name: model.name, precision: model.precision };
  }

  send(message, told, signal) {
    const id = ++this.n;
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.waiting.delete(id);
        this.post({ id, cancel: true });
        reject(signal.reason);
      };
      if (signal?.aborted) return reject(signal.reason);
      signal?.addEventListener("abort", leave, { once: true });
      const stay = (act) => (value) => { signal?.removeEventListener("abort", leave); act(value); };
      this.waiting.set(id, { resolve: stay(resolve), reject: stay(reject), told });
      this.post({ id, ...message });
    });
  }

  hear({ id, told, answer, error, name }) {
    const asked = this.waiting.get(id);
    if (!asked) return;   // given up
    if (told) return asked.told(told);
    this.waiting.delete(id);
    if (error === undefined) asked.resolve(answer);
    else asked.reject(Object.assign(new Error(error), { name }));
  }

  /** The worker is gone: what waits is refused, and the next question opens another. */
  lost() {
    this.close();
    this.ready = null;
    for (const { reject } of this.waiting.values()) reject(new Error("The model stopped while it was answering; ask again."));
    this.waiting.clear();
  }
}

// In a worker all begins here.
if (typeof WorkerGlobalScope !== "undefined") {
  const desk = new Desk((message) => postMessage(message), 50);
  onmessage = ({ data }) => desk.hear(data);
  postMessage({ here: true });
}
