// The only script of the live page. It runs in the browser: while the page is visible, it fetches the page again every two seconds, and replaces
// the sections that differ. Without it, the page is what it was when it was opened.

export const liveScript = `
const notice = document.getElementById('notice');
const say = (text) => { if (notice.textContent !== text) notice.textContent = text; };
/** Puts the focus where it was, and keeps open what was. */
const restore = (shown, next) => {
  const active = shown.contains(document.activeElement) ? document.activeElement.id : undefined;
  const unfolded = [...shown.querySelectorAll('details[open] > summary')].map(({ id }) => id);
  shown.replaceWith(document.adoptNode(next));
  for (const id of unfolded) document.getElementById(id)?.parentElement.setAttribute('open', '');
  if (active === undefined) return;
  const same = document.getElementById(active) ?? next;
  if (same === next) next.tabIndex = -1;
  same.focus({ preventScroll: true });
};
const sectionsOf = (root) => [...root.querySelectorAll('main > section')].map(({ id }) => id).join(' ');
const replace = (fresh) => {
  if (sectionsOf(document) !== sectionsOf(fresh)) {
    for (const name of ['nav', 'main']) document.querySelector(name).replaceWith(document.importNode(fresh.querySelector(name), true));
  }
  for (const next of fresh.querySelectorAll('#state, main > section')) {
    const shown = document.getElementById(next.id);
    if (shown.innerHTML !== next.innerHTML) restore(shown, next);
  }
};
const refresh = async () => {
  try {
    const answer = await fetch(location.href, { cache: 'no-store', signal: AbortSignal.timeout(60000) });
    const text = await answer.text();
    if (!answer.ok) say(text);
    else {
      const fresh = new DOMParser().parseFromString(text, 'text/html');
      replace(fresh);
      document.title = fresh.title;
      say(fresh.getElementById('notice').textContent);
    }
  } catch {
    say('rolealerts ui does not respond. The page shows its last state.');
  }
};
const follow = async () => {
  if (!document.hidden) await refresh();
  window.setTimeout(follow, 2000);
};
window.setTimeout(follow, 2000);
`;
