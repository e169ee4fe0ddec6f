// The only script of the live page. It runs in the browser: at each message of the server it fetches the page again, and replaces the
// sections that differ. Without it, the page is what it was when it was opened.

export const liveScript = `
const notice = document.getElementById('notice');
let source, isBusy = false, isDue = false;
const say = (text) => { if (notice.textContent !== text) notice.textContent = text; };
const nameOf = (element) => element?.id || element?.getAttribute?.('href');
const replace = (fresh) => {
  for (const next of fresh.querySelectorAll('main > section')) {
    const shown = document.getElementById(next.id);
    if (!shown || shown.innerHTML === next.innerHTML) continue;
    const focused = shown.contains(document.activeElement) ? nameOf(document.activeElement) : undefined;
    shown.replaceWith(document.adoptNode(next));
    if (focused) [...next.querySelectorAll('[id], a')].find((each) => nameOf(each) === focused)?.focus({ preventScroll: true });
  }
};
const refresh = async () => {
  isDue = true;
  if (isBusy) return;
  isBusy = true;
  while (isDue) {
    isDue = false;
    try {
      const answer = await fetch(location.href, { cache: 'no-store' });
      const text = await answer.text();
      if (answer.ok) replace(new DOMParser().parseFromString(text, 'text/html'));
      say(answer.ok ? '' : text);
    } catch {
      say('rolealerts ui does not respond. The page shows its last state.');
    }
  }
  isBusy = false;
};
const connect = () => {
  source = new EventSource('/events');
  source.onmessage = refresh;
  source.onerror = () => say(source.readyState === EventSource.CLOSED
    ? 'This page no longer follows the cluster. Close other pages of rolealerts ui, then reload it.'
    : 'rolealerts ui does not respond. The page shows its last state.');
};
document.addEventListener('visibilitychange', () => {
  source.close();
  if (!document.hidden) connect();
});
addEventListener('pagehide', () => source.close());
addEventListener('pageshow', (event) => { if (event.persisted) connect(); });
connect();
`;
