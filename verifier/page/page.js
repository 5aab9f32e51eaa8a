// Asks for a proof and draws the answer of the module, which is a part of this script: nothing is ever loaded.
import packed from 'module';
import init, { mostBytes, verify } from 'verifier';

// The page as it came, for people who keep it. Nothing has changed it yet.
const page = '<!doctype html>\n' + document.documentElement.outerHTML;
const part = Object.fromEntries(['form', 'file', 'belief', 'trusted', 'policy', 'status', 'report', 'keep'].map((id) => [id, document.getElementById(id)]));
const SIGNS = { shown: '✓', warnings: '!', notShown: '–' };
const TITLES = { shown: 'This proof shows', warnings: 'Look twice', notShown: 'This proof does not show' };

const decode = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

const unpack = async () => {
  const stream = new Blob([decode(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  await init({ module_or_path: await new Response(stream).arrayBuffer() });
};
const ready = unpack();
// Told when somebody asks.
ready.catch(() => {});

const make = (name, style, ...content) => {
  const element = document.createElement(name);
  element.className = style;
  element.append(...content);
  return element;
};

// The reason why a question has no answer.
class Unjudged extends Error {}

const read = async (file) => {
  await ready.catch(() => {
    throw new Unjudged('this browser is too old');
  });
  if (file.size > mostBytes()) throw new Unjudged('the file is longer than ' + mostBytes() / 2 ** 20 + ' MiB');
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Unjudged('the file cannot be read');
  });
  return new Uint8Array(bytes);
};

const judge = (bytes, trusted) => {
  try {
    return JSON.parse(verify(bytes[0], trusted, bytes[1]));
  } catch (reason) {
    throw new Unjudged(typeof reason == 'string' ? reason : 'the check broke off; load this page again');
  }
};

const list = (report, name) => {
  const lines = report[name];
  if (!lines[0]) return [];
  const sign = () => {
    const element = make('span', '', SIGNS[name]);
    element.ariaHidden = 'true';
    return element;
  };
  return [make('h3', '', TITLES[name]), make('ul', name, ...lines.map((line) => make('li', '', sign(), make('div', '', line))))];
};

const save = (name, type, content) => {
  const link = make('a', '');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

// The pictures, and the files that check the signatures of time stamps.
const files = (report) =>
  [...(report.pictures ?? []).flatMap(({ file }) => file ?? []), ...(report.stamps ?? []).flatMap((stamp) => stamp.files)]
    .map(({ name, content }) => {
      const button = make('button', '', 'Save ' + name);
      button.type = 'button';
      button.onclick = () => save(name, 'application/octet-stream', decode(content));
      return button;
    });

// The result is announced, and the lists below it are for reading on.
const draw = (outcome, verdict, ...lists) => {
  part.status.className = outcome;
  part.status.replaceChildren(make('h2', '', verdict));
  part.report.replaceChildren(...lists);
  part.status.scrollIntoView({ block: 'nearest' });
};

const refuse = (reason) => draw('unjudged', 'Not checked: ' + reason + '.');

// One file, or a promise and the proof of its consent.
let proofs = [];
// Numbers the questions: an answer to a former one is not drawn.
let questions = 0;

const forget = () => {
  questions++;
  part.status.className = '';
  part.status.replaceChildren();
  part.report.replaceChildren();
};

const answer = async () => {
  forget();
  const question = questions;
  const isLate = () => question != questions;
  try {
    if (!proofs[0]) throw new Unjudged('choose a proof first');
    if (proofs[2]) throw new Unjudged('two files at most: a promise and its proof');
    const bytes = await Promise.all(proofs.map(read));
    if (isLate()) return;
    const report = judge(bytes, part.trusted.value);
    draw(report.outcome, report.verdict, ...Object.keys(SIGNS).flatMap((name) => list(report, name)), ...files(report));
  } catch (error) {
    if (!(error instanceof Unjudged)) throw error;
    if (!isLate()) refuse(error.message);
  }
};

const choose = (files) => {
  proofs = [...files];
  return proofs[0] ? answer() : forget();
};

// The text of a file of trust stands in the field, so that everybody sees who is believed.
const trust = async (file) => {
  forget();
  if (!file) return;
  const question = questions;
  try {
    const bytes = await read(file);
    if (question != questions) return;
    part.trusted.value = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    part.policy.value = '';
    return refuse(error instanceof Unjudged ? error.message : 'the file is not text');
  }
  if (proofs[0]) await answer();
};

part.file.onchange = () => choose(part.file.files);
part.policy.onchange = () => trust(part.policy.files[0]);
part.trusted.oninput = () => {
  part.policy.value = '';
  forget();
};
part.form.onsubmit = (event) => {
  event.preventDefault();
  answer();
};

const isOfFiles = ({ dataTransfer }) => dataTransfer?.types.includes('Files');
const over = (is) => (event) => {
  if (!isOfFiles(event)) return;
  event.preventDefault();
  document.body.classList.toggle('over', is);
};
addEventListener('dragover', over(true));
addEventListener('dragleave', over(false));
addEventListener('drop', (event) => {
  if (!isOfFiles(event)) return;
  over(false)(event);
  const { files } = event.dataTransfer;
  const isOfTrust = part.belief.contains(event.target);
  if (isOfTrust && files[1]) {
    forget();
    return refuse('one file of trust at a time');
  }
  (isOfTrust ? part.policy : part.file).files = files;
  return isOfTrust ? trust(files[0]) : choose(files);
});

part.keep.onclick = () => save('placet-verify.html', 'text/html', page);
