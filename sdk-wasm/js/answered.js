// The visitor's last answer on a layer with services: its time, and the id under which its proof is kept, so that
// both can be quoted. `later` brings the words. The time leads to the page where visitors find their answers: all of
// them, if the token has the form of the SDK's own or of signed ones, since nobody guesses it and the page asks for
// nothing else; the last one alone by its receipt under any other token.
import { CHOICE, facts, source } from './facts.js';

const attempt = (read) => {
  try {
    return read();
  } catch {}
};
const kept = (name) => JSON.parse(localStorage.getItem(name));

// The fragment that opens the visitor's answers.
const secret = (project, token) => {
  if (/^\w{44}$|\.\w{64}$/.test(token)) return token;
  const { projectId, collection, token: of, consentId, receipt } = kept('placet_receipt');
  // That of a box is about something else.
  return projectId == project && collection == 'cookies' && of == token && receipt && JSON.stringify({ consentId, receipt });
};

export const answered = async (port, later, control) => {
  const { lastAnswer, consentId } = await later();
  const { project, language, flags } = facts(port);
  const name = port.settings.jsonCookieName || CHOICE;
  const answer = attempt(() => port.stored(name) || kept(name));
  const actions = control.closest('.p')?.querySelector('.f');
  const date = new Date(answer?.$$date);
  if (!lastAnswer || !actions || !answer?.$$completed || answer.$$projectId != project || isNaN(date)) return;
  if (actions.previousSibling.part == 'last-answer') return;
  const line = document.createElement('p');
  line.className = 'z';
  line.part = 'last-answer';
  let time = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(date);
  const token = answer.$$token;
  const fragment = attempt(() => secret(project, token));
  if (fragment) {
    const link = document.createElement('a');
    link.append(time);
    link.href = source(port).api + '/me/' + project + '#' + encodeURIComponent(fragment);
    time = link;
  }
  line.append(lastAnswer + ': ', time);
  if (flags.includes('s')) {
    const id = document.createElement('bdi');
    id.append(token);
    line.append(document.createElement('br'), consentId + ': ', id);
  }
  actions.before(line);
};
