// The only script of the live page. It runs in the browser: at each message of the server it fetches the page again, and replaces the
// sections that differ. Without it, the page is what it was when it was opened.

export const liveScript = `
const notice = document.getElementById('notice');
let source, isBusy = false, isDue = false, lost = '';
const say = (text) => { if (notice.textContent !== text) notice.textContent = text; };
const nameOf = (element) => element.id || element.getAttribute('href') || element.getAttribute('aria-labelledby');
const namesake = (root, name) => [...root.querySelectorAll('[id], a, [aria-labelledby]')].filter((each) => nameOf(each) === name);
/** Puts the focus where it was, and keeps open what was. */
const restore = (shown, next) => {
  const active = shown.contains(document.activeElement) ? document.activeElement : undefined;
  const place = active && namesake(shown, nameOf(active)).indexOf(active);
  const unfolded = [...shown.querySelectorAll('details[open] > summary')].map(nameOf);
  shown.replaceWith(document.adoptNode(next));
  for (const name of unfolded) for (const each of namesake(next, name)) each.parentElement.open = true;
  if (!active) return;
  const same = namesake(next, nameOf(active));
  if (same.length === 0) next.tabIndex = -1;
  (same[place] ?? same[0] ?? next).focus({ preventScroll: true });
};
const replace = (fresh) => {
  for (const next of fresh.querySelectorAll('#state, main > section')) {
    const shown = document.getElementById(next.id);
    if (!shown) return document.querySelector('main').replaceWith(document.adoptNode(fresh.querySelector('main')));
    if (shown.innerHTML !== next.innerHTML) restore(shown, next);
  }
};
const refresh = async () => {
  isDue = true;
  if (isBusy) return;
  isBusy = true;
  while (isDue) {
    isDue = false;
    try {
      const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(60000) });
      const text = await answer.text();
      if (!answer.ok) { say(text); continue; }
      const fresh = new DOMParser().parseFromString(text, 'text/html');
      replace(fresh);
      document.title = fresh.title;
      say(fresh.getElementById('notice').textContent || lost);
    } catch {
      say('rolealerts ui does not respond. The page shows its last state.');
    }
  }
  isBusy = false;
};
const connect = () => {
  source = new EventSource('/events');
  source.onmessage = () => { lost = ''; refresh(); };
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return say('rolealerts ui does not respond. The page shows its last state.');
    lost = 'This page no longer follows the cluster. Close other pages of rolealerts ui, then reload it.';
    refresh();
  };
};
document.addEventListener('visibilitychange', () => {
  source.close();
  if (!document.hidden) connect();
});
addEventListener('pagehide', () => source.close());
addEventListener('pageshow', (event) => { if (event.persisted) connect(); });
connect();
`;
