// Makes elements. Text only ever becomes text: nothing here, or anywhere else, parses markup.

/** An element with attributes; children are nodes or texts, null ones are left out. */
function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith('on')) {
      element.addEventListener(key.slice(2), value);
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(key, value === true ? '' : value);
    }
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== '') {
      element.append(child instanceof Node ? child : visible(String(child)));
    }
  }
}

function byId(id) {
  return document.getElementById(id);
}

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Control characters, and those that turn the direction of writing, as the code they have. */
function visible(text) {
  return text.replace(UNSEEN, c => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
}

const grouping = new Intl.NumberFormat('en');

function number(value) {
  return grouping.format(value || 0);
}

/** A number and what it counts: 1 node, 2 nodes. */
function count(value, noun) {
  return number(value) + ' ' + noun + (value === 1 ? '' : 's');
}

/** A list that may be very long: what does not fit on a line is unfolded on demand. */
function longText(text, length = 48) {
  if (!text) {
    return make('span', {class: 'quiet'}, '–');
  }
  if (text.length <= length) {
    return make('code', {}, text);
  }
  return make('details', {class: 'long'},
      make('summary', {}, make('code', {}, text.slice(0, length - 1) + '…')),
      make('code', {}, text));
}

/** A button that copies a text, where the browser allows it. */
function copyButton(text) {
  if (!navigator.clipboard) {
    return '';
  }
  const button = make('button', {type: 'button', class: 'copy', onclick: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  }}, 'Copy');
  return button;
}

/** A command, with a button that copies all of it; of a long one the middle is not shown. */
function commandLine(text) {
  const shown = text.length <= 240 ? text : text.slice(0, 120) + ' … ' + text.slice(-100);
  return make('div', {class: 'copyable'}, make('code', {class: 'command'}, shown), copyButton(text));
}

/** A kernel's release, which may break after its parts but nowhere else. */
function release(text) {
  const parts = (text || '?').split(/(?<=[-.])/);
  return make('code', {class: 'release'}, parts.flatMap(part => [part, make('wbr')]).slice(0, -1));
}

/** A word with a sign on the colour of its state. */
function badge(state) {
  return make('span', {class: 'badge ' + state.id},
      make('span', {class: 'sign', 'aria-hidden': 'true'}, state.sign), ' ', state.word);
}
