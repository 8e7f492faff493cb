// Builds and the kernels they serve: a strip for each series of kernels, and below it what breaks where.

const STATES = {
  COMPATIBLE: {sign: '✓', word: 'loads'},
  INCOMPATIBLE: {sign: '✕', word: 'refused'},
  UNDETERMINED: {sign: '?', word: 'unknown'},
};
const kernels = list('kernels');
const builds = list('builds');

/** The range that each kernel is in: together they cover all kernels in order. */
const rangesOf = new Map(builds.map(build =>
    [build, build.ranges.flatMap(range => Array(range.kernels).fill(range))]));

function state(verdict) {
  return make('span', {class: 'badge ' + verdict},
      make('span', {class: 'sign', 'aria-hidden': 'true'}, STATES[verdict].sign), ' ', STATES[verdict].word);
}

/** Kernels shown that follow each other in a series and in a range. */
function runs(build, shown) {
  const found = [];
  for (const index of shown) {
    const range = rangesOf.get(build)[index];
    const last = found[found.length - 1];
    if (last && last.range === range) {
      last.kernels.push(kernels[index]);
    } else {
      found.push({range, kernels: [kernels[index]]});
    }
  }
  return found;
}

/** The runs of each series; behind them those of series that are not served at all for the same kind of reason. */
function parts(found) {
  const series = new Map();
  for (const run of found) {
    const name = run.range.series;
    series.set(name, (series.get(name) || []).concat(run));
  }
  const alike = new Map();
  for (const [name, all] of series) {
    const {verdict, layer} = all[0].range;
    if (all.length === 1 && verdict !== 'COMPATIBLE') {
      const kind = verdict + ' ' + layer;
      alike.set(kind, (alike.get(kind) || []).concat(name));
    }
  }
  const folded = [...alike.values()].filter(names => names.length > 1);
  const rest = [...series].filter(([name]) => !folded.some(names => names.includes(name)));
  return [
    ...rest.map(([name, all]) => ({name, names: [name], runs: all})),
    ...folded.map(names => {
      const all = names.flatMap(name => series.get(name));
      return {name: number(names.length) + ' series' + (all[0].range.layer ? ': ' + all[0].range.layer : ''), names, runs: all};
    }),
  ];
}

const size = all => all.reduce((sum, run) => sum + run.kernels.length, 0);
const loads = all => size(all.filter(run => run.range.verdict === 'COMPATIBLE'));

function extent(run) {
  const names = run.kernels.map(kernel => kernel.name);
  return names.length === 1 ? release(names[0]) : [release(names[0]), ' … ', release(names[names.length - 1])];
}

function words(run) {
  const names = run.kernels.map(kernel => kernel.name);
  return STATES[run.range.verdict].word + ': ' + names[0] + (names.length > 1 ? ' … ' + names[names.length - 1] : '')
      + (run.range.reason ? ': ' + run.range.reason : '');
}

function strip({name, names, runs: all}) {
  const text = loads(all) + ' of ' + size(all);
  return make('div', {},
      make('div', {class: 'series', title: names.join(', ')}, make('span', {}, name), make('span', {}, text)),
      make('div', {class: 'strip', role: 'img', 'aria-label': name + ': loads on ' + text}, all.map(run => {
        const part = make('span', {class: run.range.verdict, title: visible(words(run))});
        part.style.flexGrow = run.kernels.length;
        return part;
      })));
}

function edges({name, names, runs: all}) {
  const row = run => make('tr', {},
      make('td', {'data-title': 'Result'}, state(run.range.verdict)),
      make('td', {'data-title': 'Kernels'}, extent(run)),
      make('td', {'data-title': 'Number', class: 'amount'}, number(run.kernels.length)),
      make('td', {'data-title': 'Reason'}, run.range.reason || '–'));
  const table = () => make('table', {class: 'list'},
      make('thead', {}, make('tr', {}, ['Result', 'Kernels', 'Number', 'Reason'].map(title => make('th', {scope: 'col'}, title)))),
      make('tbody', {}, all.map(row)));
  if (names.length === 1) {
    return [make('h3', {}, name), table()];
  }
  const newest = all[all.length - 1].range;
  return make('details', {class: 'folded'},
      make('summary', {}, make('h3', {}, name + ', ' + count(size(all), 'kernel')), ' ', state(newest.verdict),
          make('p', {class: 'quiet'}, names.join(', ')), make('p', {}, newest.reason)),
      table());
}

const labelOf = build => build.package ? build.package + ' ' + (build.version || '') : build.file;
const opened = new Set();

function card(build, shown) {
  const found = parts(runs(build, shown));
  const all = found.flatMap(part => part.runs);
  const about = count(build.modules, 'module') + (build.builtFor.length > 0 ? ', built for ' + build.builtFor.join(', ') : '');
  const below = make('div', {class: 'edges'});
  const fill = () => below.childElementCount === 0 && add(below, found.map(edges));
  const element = make('details', {class: 'build', open: opened.has(build), ontoggle: () => {
    opened[element.open ? 'add' : 'delete'](build);
    fill();
  }},
      make('summary', {},
          make('div', {class: 'head'}, make('h2', {}, labelOf(build)), make('span', {class: 'about quiet'}, about),
              make('span', {class: 'serves'}, 'serves ' + number(loads(all)) + ' of ' + count(size(all), 'kernel'))),
          make('div', {class: 'strips'}, found.map(strip))),
      below);
  if (opened.has(build)) {
    fill();
  }
  element.fill = fill;
  return element;
}

/** Which kernels have to be served and are not, and what changed since the last run. */
function demands() {
  const {kernels: all, lost} = doc.required || {};
  const news = list('changes');
  return [
    doc.required && make('div', {class: 'notice'},
        make('p', {}, lost.length === 0 ? state('COMPATIBLE') : state(lost[0].verdict), ' required: ' + count(all, 'kernel') + ', '
            + (lost.length === 0 ? 'all served' : number(lost.length) + ' not served')),
        lost.length > 0 && make('ul', {}, lost.map(one => make('li', {}, release(one.kernel), ': ' + one.reason)))),
    news.length > 0 && make('div', {class: 'notice'},
        make('p', {}, 'Since the last run'),
        make('ul', {}, news.map(change => make('li', {}, change.text)))),
  ].filter(Boolean);
}

const textOf = new Map(builds.map(build => [build, [labelOf(build), build.file, ...build.builtFor,
    ...build.ranges.map(range => range.reason || '')].join('\n').toLowerCase()]));
const wordsOf = id => byId(id).value.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether a kernel's name or series has it; 6.1 is not the beginning of 6.12. */
function isIn(text, part) {
  return /^\d+\.\d+$/.test(part) ? text.split(part).some((rest, i) => i > 0 && !/^\d/.test(rest)) : text.includes(part);
}

function show() {
  const wanted = wordsOf('kernels');
  const shown = [...kernels.keys()].filter(index =>
      wanted.every(part => isIn((kernels[index].name + ' ' + kernels[index].series).toLowerCase(), part)));
  const asked = wordsOf('builds');
  const found = builds.filter(build => asked.every(part => textOf.get(build).includes(part)));
  byId('found').textContent = count(found.length, 'build') + ', ' + count(shown.length, 'kernel');
  byId('main').replaceChildren(
      make('div', {class: 'keys'}, Object.keys(STATES).map(state)),
      ...demands(),
      ...list('problems').map(problem => make('p', {class: 'notice'}, problem.subject + ': ' + problem.message)),
      ...found.map(build => card(build, shown)),
      found.length === 0 || shown.length === 0 ? make('p', {class: 'nothing'}, 'Nothing found.') : '');
}

byId('extent').textContent = count(builds.length, 'build') + ' on ' + count(kernels.length, 'kernel');
show();
let pending = 0;
for (const id of ['builds', 'kernels']) {
  byId(id).addEventListener('input', () => {
    cancelAnimationFrame(pending);
    pending = requestAnimationFrame(show);
  });
}
window.addEventListener('beforeprint', () => document.querySelectorAll('details.build').forEach(element => {
  element.fill();
  element.open = true;
  element.querySelectorAll('details').forEach(folded => folded.open = true);
}));
document.body.dataset.ready = '';
