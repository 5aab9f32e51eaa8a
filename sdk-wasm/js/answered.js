// The visitor's last answer on a layer with services: its time, and the id under which its proof is kept, so that
// both can be quoted. `later` brings the words.
import { facts } from './facts.js';

const read = ({ stored, settings }) => {
  const name = settings.jsonCookieName || 'placet_cookies';
  try {
    return stored(name) || JSON.parse(localStorage.getItem(name));
  } catch {}
};

export const answered = async (port, later, control) => {
  const { lastAnswer, consentId } = await later();
  const { project, language, flags } = facts(port);
  const answer = read(port);
  const actions = control.closest('.p')?.querySelector('.f');
  const date = new Date(answer?.$$date);
  if (!lastAnswer || !actions || !answer?.$$completed || answer.$$projectId != project || isNaN(date)) return;
  if (actions.previousSibling.part == 'last-answer') return;
  const line = document.createElement('p');
  line.className = 'z';
  line.part = 'last-answer';
  line.append(lastAnswer + ': ' + new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' }).format(date));
  if (flags.includes('s')) {
    const id = document.createElement('bdi');
    id.append(answer.$$token);
    line.append(document.createElement('br'), consentId + ': ', id);
  }
  actions.before(line);
};
