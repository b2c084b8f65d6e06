// What pages around a table do. The games of this device are remembered here alone, by their addresses: no server is told.
'use strict';
(() => {
  const SEAT = /^\/g\/[\w~-]{1,40}\/(\d{1,2}|links)$/;
  const read = () => {
    try {
      return JSON.parse(localStorage.getItem('games')).filter(({ base, title }) => SEAT.test(base) && typeof title === 'string');
    } catch {
      return [];
    }
  };
  const keep = (games) => {
    try {
      localStorage.setItem('games', JSON.stringify(games.slice(0, 30)));
    } catch {} // a device that keeps nothing
  };

  const here = document.querySelector('[data-game]')?.dataset;
  const remember = () => {
    if (!here || !SEAT.test(here.base)) return;
    const over = document.getElementById('table')?.hasAttribute('data-over') ?? false;
    keep([{ base: here.base, title: here.game, over, at: Date.now() }, ...read().filter((game) => game.base !== here.base)]);
  };
  remember();

  // What was said is not said again; a game that has ended is remembered so.
  document.addEventListener('htmx:after:swap', (event) => {
    remember();
    const source = event.detail?.ctx?.sourceElement;
    if (source?.id === 'chat') source.reset();
  });

  const mine = document.getElementById('mine');
  const show = () => {
    mine.hidden = !read().length;
    mine.querySelector('ul').replaceChildren(...read().map((game) => {
      const row = document.createElement('li');
      const link = document.createElement('a');
      link.href = game.base;
      link.textContent = game.title;
      const when = document.createElement('small');
      when.textContent = `${new Date(game.at).toLocaleDateString(document.documentElement.lang)}${game.over ? ` · ${mine.dataset.over}` : ''}`;
      const forget = document.createElement('button');
      forget.textContent = '×';
      forget.setAttribute('aria-label', `${mine.dataset.forget}: ${game.title}`);
      forget.addEventListener('click', () => {
        keep(read().filter((other) => other.base !== game.base));
        show();
      });
      row.append(link, ' ', when, ' ', forget);
      return row;
    }));
  };
  if (mine) show();

  // A link is copied with one click, where the browser can.
  for (const button of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.done;
    });
  }
})();
