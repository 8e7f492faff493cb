// Sets of nodes in ClusterShell's notation, as far as a search needs them: cn[001-412,500],gpu7.

/** The members of a list, cut at the commas that are not in brackets. */
function nodeSetParts(set) {
  const parts = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < set.length; i++) {
    const c = set[i];
    if (c === '[') {
      depth++;
    } else if (c === ']') {
      depth--;
    } else if (c === ',' && depth === 0) {
      parts.push(set.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(set.slice(start));
  return parts;
}

/** A part as texts and ranges in turn, ranges as lists of [low, high, digits or 0]. */
function nodeSetTokens(part) {
  return part.split(/[[\]]/).map((text, i) => i % 2 === 0 ? text : text.split(',').map(nodeRange));
}

function nodeRange(text) {
  const [low, high = low] = text.split('-');
  return [Number(low), Number(high), low.startsWith('0') && low.length > 1 ? low.length : 0];
}

function inRanges(digits, ranges) {
  const value = Number(digits);
  return ranges.some(([low, high, width]) =>
      value >= low && value <= high && digits === String(value).padStart(width, '0'));
}

function partHas(tokens, name) {
  let at = 0;
  for (let i = 0; i < tokens.length; i++) {
    if (i % 2 === 0) {
      if (!name.startsWith(tokens[i], at)) {
        return false;
      }
      at += tokens[i].length;
    } else {
      const digits = /^\d+/.exec(name.slice(at));
      if (!digits || !inRanges(digits[0], tokens[i])) {
        return false;
      }
      at += digits[0].length;
    }
  }
  return at === name.length;
}

const knownNodeSets = new Map();

/** The members of a set as tokens; each set is taken apart once. */
function knownNodeSet(set) {
  let parts = knownNodeSets.get(set);
  if (!parts) {
    parts = nodeSetParts(set.toLowerCase()).map(nodeSetTokens);
    knownNodeSets.set(set, parts);
  }
  return parts;
}

/** Whether a node of this name (in small letters) is one of the set. */
function nodeSetHas(set, name) {
  return /\d/.test(name) && knownNodeSet(set).some(tokens => partHas(tokens, name));
}
