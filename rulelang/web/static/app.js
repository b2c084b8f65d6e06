// What a page does beside asking the server: dialogs, keys, what stays open. Without it the page works with whole loads.
'use strict';
(() => {
  const main = () => document.getElementById('table');
  const dialog = () => document.getElementById('sheet');
  const picks = () => [...document.querySelectorAll('#pick input')].map((input) => ['pick', input.value]);
  let picked = 0;

  // Where the focus was goes away with what was chosen: it goes on to the choices that there are now.
  let held = false;
  document.addEventListener('htmx:before:swap', () => {
    held = main().contains(document.activeElement);
  });

  // Where the bar does not hold all choices at once, some of what can be chosen on the table is in view when the reader's
  // turn begins, or when a part is chosen.
  let asked = false;
  const show = (own) => {
    const before = asked;
    const bar = document.getElementById('choices');
    asked = main()?.hasAttribute('data-turn') ?? false;
    if (asked && !before && !own) ring();
    if (!asked || (before && !own)) return;
    if (!bar.querySelector('.step, #all') && bar.scrollHeight <= bar.clientHeight) return;
    const things = [...main().querySelectorAll('.players [name=pick], .play [name=pick], .desk > .area [name=pick]')].filter((thing) => thing.checkVisibility());
    const seen = (thing) => {
      const box = thing.getBoundingClientRect();
      return thing.contains(document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, 44) / 2));
    };
    if (!things.some(seen)) things[0]?.scrollIntoView({ block: 'center', behavior: 'instant' });
  };
  addEventListener('load', () => {
    if (innerWidth <= 600) document.querySelectorAll('[id^=legend]').forEach((legend) => { legend.open = false; });
    show(true);
  });

  // Details come into the dialog, which opens; the title tells whose turn it is.
  document.addEventListener('htmx:after:swap', (event) => {
    const target = event.detail?.ctx?.target ?? event.target;
    if (held && document.activeElement === document.body) document.getElementById('choices').focus({ preventScroll: true });
    if (target && target.id === 'more' && !dialog().open) dialog().showModal();
    // What is picked whole is confirmed by the same key or click again.
    if (target && target.id === 'table' && picks().length > picked) document.getElementById('confirm')?.focus({ preventScroll: true });
    picked = picks().length;
    if (target && target.id === 'table') show(event.detail?.ctx?.sourceElement?.id !== 'stream');
    retitle();
  });
  document.addEventListener('click', (event) => {
    if (event.target === dialog()) dialog().close();
  });

  // A morph takes nothing away that the reader has opened.
  document.addEventListener('htmx:before:morph:attr', (event) => {
    const { attributeName, node } = event.detail ?? {};
    if (attributeName === 'open' && node?.id) event.preventDefault();
  });

  function retitle() {
    document.title = main()?.dataset.title ?? document.title;
  }

  // A card whose text is cut is shown whole beside itself: under the mouse, with the focus, or held under a finger.
  let lens = null;
  let waits = 0;
  let long = false;
  const unlens = () => {
    clearTimeout(waits);
    lens?.remove();
    lens = null;
  };
  const enlarge = (face) => {
    unlens();
    const text = face.querySelector('.text');
    const name = face.querySelector('.name');
    const cut = [text, name].some((part) => part && (part.scrollHeight > part.clientHeight + 1 || !part.clientHeight));
    if (!text || !cut) return false;
    const card = face.parentElement;
    lens = document.createElement('div');
    lens.className = `${card.className} lens`;
    lens.setAttribute('aria-hidden', 'true');
    lens.innerHTML = `<span class="face">${face.innerHTML}</span>`;
    document.body.append(lens);
    const at = card.getBoundingClientRect();
    const size = lens.getBoundingClientRect();
    const beside = at.right + 8 + size.width < innerWidth ? at.right + 8 : at.left - 8 - size.width;
    lens.style.left = `${beside < 4 ? Math.max(4, Math.min(at.left, innerWidth - size.width - 4)) : beside}px`;
    const above = beside < 4 ? at.top - size.height - 8 : at.top;
    lens.style.top = `${Math.max(4, Math.min(above, innerHeight - size.height - 4))}px`;
    return true;
  };
  const face = (event) => (event.target.closest ? event.target.closest('#table .card .face') : null);
  document.addEventListener('pointerover', (event) => {
    const over = face(event);
    if (event.pointerType !== 'mouse' || event.buttons) return;
    unlens();
    if (over) waits = setTimeout(enlarge, 250, over);
  });
  document.addEventListener('focusin', (event) => {
    if (face(event)?.matches(':focus-visible')) enlarge(face(event));
    else unlens();
  });
  document.addEventListener('pointerdown', (event) => {
    const under = face(event);
    unlens();
    long = false;
    if (under && event.pointerType !== 'mouse') waits = setTimeout(() => { long = enlarge(under); }, 450);
  });
  for (const ends of ['pointerup', 'pointercancel', 'scroll', 'htmx:before:swap']) document.addEventListener(ends, unlens, true);
  document.addEventListener('scroll', () => { // as when the focus comes to what is out of sight
    const focused = face({ target: document.activeElement });
    if (focused?.matches(':focus-visible')) waits = setTimeout(enlarge, 200, focused);
  }, true);
  document.addEventListener('contextmenu', (event) => {
    if (face(event) && long) event.preventDefault();
  });
  document.addEventListener('click', (event) => {
    if (!long || !face(event)) return;
    long = false;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);

  // What has moved flies from where it was: pieces of a kind that one place has fewer of, and another one more.
  const still = matchMedia('(prefers-reduced-motion: reduce)');
  const lying = () => {
    const places = new Map();
    for (const thing of document.querySelectorAll('#table [data-p], #table [data-stack]')) {
      const stack = thing.dataset.stack !== undefined;
      const zone = stack ? thing.closest('.player, .area')?.querySelector('h2')?.textContent + thing.previousElementSibling?.textContent : thing.closest('[data-z]')?.dataset.z;
      const key = stack ? '' : thing.dataset.p;
      const place = `${key} ${zone}`;
      const before = places.get(place);
      const count = Number(stack ? thing.dataset.stack : thing.dataset.n) + (before?.count ?? 0);
      if (thing.checkVisibility()) places.set(place, { key, count, thing, box: thing.getBoundingClientRect() });
    }
    return places;
  };
  const fly = (thing, from, to) => {
    const card = thing.closest('li.card');
    const ghost = card ? card.cloneNode(true) : document.createElement('i');
    ghost.className = card ? `${card.className} ghost` : `${thing.getAttribute('class')} ghost disc`;
    ghost.setAttribute('aria-hidden', 'true');
    for (const inner of [ghost, ...ghost.querySelectorAll('*')]) for (const name of ['id', 'name', 'href', 'form', 'data-p']) inner.removeAttribute(name);
    if (card) ghost.style.width = `${to.width}px`;
    ghost.style.left = `${to.left}px`;
    ghost.style.top = `${to.top}px`;
    ghost.inert = true;
    document.body.append(ghost);
    const way = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
    ghost.animate([{ transform: way }, { transform: 'none' }], { duration: 420, easing: 'ease-in-out' }).finished.finally(() => ghost.remove());
  };
  let places = new Map();
  document.addEventListener('htmx:before:swap', (event) => {
    places = (event.detail?.ctx?.target ?? event.target)?.id === 'table' && !still.matches ? lying() : new Map();
  });
  document.addEventListener('htmx:after:swap', (event) => {
    if ((event.detail?.ctx?.target ?? event.target)?.id !== 'table' || !places.size) return;
    const now = lying();
    const change = (place) => (now.get(place)?.count ?? 0) - (places.get(place)?.count ?? 0);
    const all = [...new Set([...now.keys(), ...places.keys()])].filter((place) => change(place));
    const gave = all.filter((place) => change(place) < 0);
    const keyed = (key) => (place) => (places.get(place) ?? now.get(place)).key === key;
    let flying = 0;
    for (const place of all) {
      const to = now.get(place);
      if (change(place) < 0 || !to || flying > 12) continue;
      const from = gave.find(keyed(to.key)) ?? gave.find(keyed(''));
      if (!from || (!to.key && from.startsWith(' '))) continue;
      if (from && !from.startsWith(' ')) gave.splice(gave.indexOf(from), 1);
      fly(to.thing, places.get(from).box, to.box);
      flying += 1;
    }
  });

  // What can be picked can be dragged, too, to where the next thing of the choice lies.
  let dragged = null;
  document.addEventListener('pointerdown', (event) => {
    const thing = event.target.closest?.('#table .card [name=pick], #table .hit[name=pick]');
    if (thing && event.pointerType === 'mouse') thing.draggable = true;
  }, true);
  document.addEventListener('dragstart', (event) => {
    dragged = event.target.closest?.('#table [name=pick]');
    if (!dragged) return;
    unlens();
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', dragged.getAttribute('aria-label') ?? '');
  });
  const marked = (thing) => {
    document.querySelectorAll('[data-z].over').forEach((place) => place.classList.remove('over'));
    thing?.closest('[data-z]')?.classList.add('over');
  };
  document.addEventListener('dragover', (event) => {
    if (!dragged || !event.target.closest?.('#table [data-z]')) return;
    event.preventDefault();
    marked(event.target);
  });
  document.addEventListener('dragend', () => {
    dragged = null;
    marked(null);
  });
  document.addEventListener('drop', async (event) => {
    const on = [];
    for (let place = event.target.closest?.('#table [data-z]'); dragged && place; place = place.parentElement.closest('[data-z]')) on.push(place.dataset.z);
    if (!on.length || dragged.closest('[data-z]')?.dataset.z === on[0]) return;
    event.preventDefault();
    const pick = dragged.value;
    marked(null);
    dragged = null;
    await htmx.ajax('GET', `${stream.dataset.base}/table?${new URLSearchParams([...picks(), ['pick', pick]])}`, { source: '#pick', target: '#table', swap: 'outerMorph' });
    for (const zone of on) {
      const next = document.querySelector(`#table [data-z="${CSS.escape(zone)}"] [name=pick]`);
      if (next) return void next.click();
    }
  });

  // A sound, if it is wanted.
  const wants = document.getElementById('sound');
  const ring = () => {
    if (!wants?.checked) return;
    const audio = new AudioContext();
    const gain = audio.createGain();
    gain.gain.setValueAtTime(0.15, audio.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.6);
    gain.connect(audio.destination);
    for (const [pitch, at] of [[660, 0], [880, 0.15]]) {
      const tone = audio.createOscillator();
      tone.frequency.value = pitch;
      tone.connect(gain);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + 0.6);
    }
  };
  if (wants) {
    wants.checked = localStorage.getItem('sound') === 'on';
    wants.addEventListener('change', () => {
      localStorage.setItem('sound', wants.checked ? 'on' : 'off');
      ring();
    });
  }

  // Arrow keys go from one lit thing to the nearest in that direction; Escape takes back what was picked last.
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  const lit = () => [...document.querySelectorAll('#table button[name=pick], #table button[name=id]')].filter((thing) => thing.checkVisibility());
  const middle = (element) => {
    const box = element.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  document.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || dialog()?.open) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.key === 'Escape') {
      document.querySelector('[data-back]')?.click();
    } else if (ways[event.key]) {
      const things = lit();
      if (!things.length) return;
      const from = document.activeElement;
      if (!things.includes(from)) {
        things[0].focus();
      } else {
        const [dx, dy] = ways[event.key];
        const [x, y] = middle(from);
        let best = null;
        let least = Infinity;
        for (const thing of things) {
          const [tx, ty] = middle(thing);
          const along = (tx - x) * dx + (ty - y) * dy;
          const across = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
          if (along > 4 && along + 2 * across < least) [best, least] = [thing, along + 2 * across];
        }
        best?.focus();
      }
      event.preventDefault();
    }
  });

  // The clock of whoever is asked goes on between two tables.
  setInterval(() => {
    for (const clock of document.querySelectorAll('.player.turn time')) {
      const [minutes, seconds] = clock.textContent.split(':').map(Number);
      const left = Math.max(minutes * 60 + seconds - 1, 0);
      clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    }
  }, 1000);

  // A connection that is lost says so.
  let note = null;
  const lost = (is) => {
    if (is && !note) {
      note = document.createElement('p');
      note.className = 'lost';
      note.setAttribute('role', 'status');
      note.textContent = stream.dataset.lost;
      document.body.append(note);
    } else if (!is && note) {
      note.remove();
      note = null;
    }
  };

  // The stream says only that something has changed: the table is fetched anew, with what is picked, until it is the newest.
  // What the reader does goes first (hx-sync): its answer is the newest table, too, and no older one comes after it.
  const stream = document.getElementById('stream');
  let wanted = '';
  async function refresh() {
    if (!wanted || main().dataset.stamp === wanted) return;
    const seen = wanted;
    await htmx.ajax('GET', `${stream.dataset.base}/table?${new URLSearchParams(picks())}`, { source: stream, target: '#table', swap: 'outerMorph' });
    if (wanted !== seen) refresh();
  }
  let before = '';
  document.addEventListener('htmx:before:request', () => {
    before = wanted;
  });
  document.addEventListener('htmx:finally:request', (event) => {
    if (event.target !== stream && (wanted !== before || !event.detail.ctx.response)) setTimeout(refresh);
  });
  // What is refused, or does not arrive, leaves the table as it is; the table is asked for until it comes.
  const again = () => {
    lost(true);
    setTimeout(async () => {
      wanted = wanted === main().dataset.stamp ? '?' : wanted || '?';
      await refresh();
    }, 2000);
  };
  document.addEventListener('htmx:response:error', again);
  document.addEventListener('htmx:error', again);
  document.addEventListener('htmx:after:swap', (event) => {
    if (event.detail?.ctx?.response?.status < 400) lost(false);
  });
  if (!stream || !('live' in stream.dataset)) return;
  const listen = () => {
    const source = new EventSource(`${stream.dataset.base}/events?stamp=${main().dataset.stamp}`);
    source.addEventListener('table', (event) => {
      wanted = event.data;
      refresh();
    });
    source.addEventListener('open', () => lost(false));
    source.addEventListener('error', () => {
      lost(true);
      if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2000); // refused: it does not try again itself
    });
  };
  listen();
})();
