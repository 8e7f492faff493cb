// Builds and the kernels they serve: a strip for each series of kernels, and below it what breaks where.

const STATES = {
  COMPATIBLE: {sign: '✓', word: 'loads'},
  INCOMPATIBLE: {sign: '✕', word: 'refused'},
  UNDETERMINED: {sign: '?', word: 'unknown'},
};
const MEANINGS = {
  COMPATIBLE: 'every module of the build would load',
  INCOMPATIBLE: 'the kernel would refuse a module',
  UNDETERMINED: 'something decisive is not known',
};
const UNCHECKED = {
  importers: 'whether other modules of the kernel would stop loading',
  signature: 'whether the kernel trusts the key that signed a module',
  btf: 'whether the module\u2019s type information fits; the kernel loads the module without it, or refuses it, as it was configured',
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

const ORDER = ['COMPATIBLE', 'UNDETERMINED', 'INCOMPATIBLE'];

/** For each kernel the range of the build that comes nearest to it; equal answers side by side are one range. */
function bestOf(members) {
  let last = null;
  return kernels.map((kernel, index) => {
    const ranges = members.map(build => rangesOf.get(build)[index]);
    const best = ORDER.map(verdict => ranges.find(range => range.verdict === verdict)).find(Boolean);
    if (!last || last.verdict !== best.verdict || last.series !== best.series) {
      last = best.verdict === 'COMPATIBLE' ? {series: best.series, verdict: best.verdict} : {...best};
    }
    return last;
  });
}

/** Kernels shown that follow each other in a series and in a range. */
function runs(ranges, shown) {
  const found = [];
  for (const index of shown) {
    const range = ranges[index];
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

const plain = range => range.summary || range.reason;

/** The reason in words; the loader's own words with CRCs are unfolded on demand. */
function reasonOf(range) {
  return range.summary
      ? make('details', {class: 'long'}, make('summary', {}, range.summary), make('code', {}, range.reason))
      : range.reason || '–';
}

function words(run) {
  const names = run.kernels.map(kernel => kernel.name);
  return STATES[run.range.verdict].word + ': ' + names[0] + (names.length > 1 ? ' … ' + names[names.length - 1] : '')
      + (run.range.reason ? ': ' + plain(run.range) : '');
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
      make('td', {'data-title': 'Reason'}, reasonOf(run.range)));
  const table = () => make('table', {class: 'list'},
      make('thead', {}, make('tr', {}, ['Result', 'Kernels', 'Number', 'Reason'].map(title => make('th', {scope: 'col'}, title)))),
      make('tbody', {}, all.map(row)));
  if (names.length === 1) {
    return [make('h3', {}, name), table()];
  }
  const newest = all[all.length - 1].range;
  return make('details', {class: 'folded'},
      make('summary', {}, make('h3', {}, name + ', ' + count(size(all), 'kernel')), ' ', state(newest.verdict),
          make('p', {class: 'quiet'}, names.join(', ')), make('p', {}, plain(newest))),
      table());
}

const labelOf = build => build.package ? build.package + ' ' + (build.version || '') : build.file;
const opened = new Set();

function card(build, shown, heading) {
  const found = parts(runs(rangesOf.get(build), shown));
  const all = found.flatMap(part => part.runs);
  const missed = uncheckedOf(build);
  const about = count(build.modules, 'module') + (build.builtFor.length > 0 ? ', built for ' + build.builtFor.join(', ') : '')
      + (missed.length > 0 ? '; not checked: ' + missed.join(', ') : '');
  const below = make('div', {class: 'edges'});
  const fill = () => below.childElementCount === 0 && add(below, found.map(edges));
  const element = make('details', {class: 'build', open: opened.has(build), ontoggle: () => {
    opened[element.open ? 'add' : 'delete'](build);
    fill();
  }},
      make('summary', {},
          make('div', {class: 'head'}, make(heading, {}, labelOf(build)), make('span', {class: 'about quiet'}, about),
              make('span', {class: 'serves'}, 'serves ' + number(loads(all)) + ' of ' + count(size(all), 'kernel'))),
          make('div', {class: 'strips'}, found.map(strip))),
      below);
  if (opened.has(build)) {
    fill();
  }
  element.fill = fill;
  return element;
}

const uncheckedOf = build => [...new Set(build.ranges.flatMap(range => range.unchecked || []))].sort();

/** Builds of one product below a bar of the kernels that any of them serves; a product of one build is that build. */
function group({name, members}, shown, isOpen) {
  if (members.length === 1) {
    return card(members[0], shown, 'h2');
  }
  const found = parts(runs(bestOf(members), shown));
  const all = found.flatMap(part => part.runs);
  const below = make('div', {class: 'members'});
  const fill = () => below.childElementCount === 0 && add(below, members.map(build => card(build, shown, 'h3')));
  const element = make('details', {class: 'product', open: isOpen || opened.has(name), ontoggle: () => {
    opened[element.open ? 'add' : 'delete'](name);
    fill();
  }},
      make('summary', {},
          make('div', {class: 'head'}, make('h2', {}, name), make('span', {class: 'about quiet'}, count(members.length, 'build')),
              make('span', {class: 'serves'}, 'some build serves ' + number(loads(all)) + ' of ' + count(size(all), 'kernel'))),
          make('div', {class: 'strips'}, found.map(strip))),
      below);
  if (element.open) {
    fill();
  }
  element.fill = fill;
  return element;
}

/** The products in the order of their first builds. */
function grouped(found) {
  const products = new Map();
  for (const build of found) {
    for (const name of build.products) {
      products.set(name, (products.get(name) || []).concat(build));
    }
  }
  return [...products].map(([name, members]) => ({name, members}));
}

function legend() {
  const missed = [...new Set(builds.flatMap(uncheckedOf))].sort();
  return [
    make('div', {class: 'keys'}, Object.keys(STATES).map(verdict =>
        make('span', {}, state(verdict), ' ', make('span', {class: 'quiet'}, MEANINGS[verdict])))),
    missed.length > 0 && make('dl', {class: 'unchecked'}, make('dt', {}, 'Not checked:'), missed.map(layer =>
        make('dd', {}, make('code', {}, layer), UNCHECKED[layer] ? ': ' + UNCHECKED[layer] : ''))),
  ].filter(Boolean);
}

/** Which kernels have to be served and are not, and what changed since the last run. */
function demands() {
  const {kernels: all, lost} = doc.required || {};
  const products = new Set([...builds.flatMap(build => build.products), ...(lost || []).map(one => one.product)]).size;
  const news = list('changes');
  return [
    doc.required && make('div', {class: 'notice'},
        make('p', {}, lost.length === 0 ? state('COMPATIBLE') : state(lost[0].verdict), ' required: ' + count(all, 'kernel')
            + (products > 1 ? ' for each of ' + number(products) + ' products' : '') + ', '
            + (lost.length === 0 ? 'all served' : number(lost.length) + ' not served')),
        lost.length > 0 && make('ul', {}, lost.map(one => make('li', {}, release(one.kernel),
            (products > 1 ? ' by ' + one.product : '') + ': ' + one.reason)))),
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
  const products = grouped(found);
  byId('found').textContent = count(found.length, 'build') + ', ' + count(shown.length, 'kernel');
  byId('main').replaceChildren(
      ...legend(),
      ...demands(),
      ...list('problems').map(problem => make('p', {class: 'notice'}, problem.subject + ': ' + problem.message)),
      ...products.map(product => group(product, shown, products.length === 1 || asked.length > 0)),
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
window.addEventListener('beforeprint', () => ['details.product', 'details.build'].forEach(kind =>
    document.querySelectorAll(kind).forEach(element => {
      element.fill();
      element.open = true;
      element.querySelectorAll('details').forEach(folded => folded.open = true);
    })));
document.body.dataset.ready = '';
