// Where a deliberate bug is made: at the one place of the sources that has the quoted syntax, whatever things are named there. So
// no rename, no move to another file and no layout separates a bug from its place.
import { type Node, parse } from '../tools/mutation/syntax.ts';
import type { Edit } from './bugs.ts';
import { membersOf, nodesIn, outlineOf, parseQuote, withNames } from './quoted-syntax.ts';

export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** `text` goes in the place of what the file has between `start` and `end`. */
interface Change {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A node, and what follows it in the list of which it is an element. */
interface Place {
  readonly path: string;
  readonly siblings: readonly Node[];
  readonly index: number;
}

export class SourcePlaces {
  /** By type and size of the first node. */
  readonly #places = new Map<string, Place[]>();
  readonly #files: ReadonlyMap<string, string>;

  constructor(files: readonly SourceFile[]) {
    this.#files = new Map(files.map(({ path, text }) => [path, text]));
    for (const { path, text } of files) if (path.endsWith('.ts')) this.#add(path, [parse(text)]);
  }

  /** The files with these edits made. */
  edited(edits: readonly Edit[]): SourceFile[] {
    const changes = edits.map((edit) => this.#changeOf(edit));
    return [...Map.groupBy(changes, ({ path }) => path)].map(([path, inFile]) => {
      const ordered = inFile.toSorted((one, other) => other.start - one.start);
      const edit = (text: string, { start, end, text: now }: Change) => text.slice(0, start) + now + text.slice(end);
      return { path, text: ordered.reduce(edit, this.#files.get(path) ?? '') };
    });
  }

  /** Throws when a quote has no place or several, or when a rename could break the replacement. */
  #changeOf({ find, replace, names, crd }: Edit): Change {
    if (crd !== undefined) return this.#changeOfText(`crds/rolealerts.dev_${crd}.yaml`, find, replace);
    const { path, start, end, renamed } = this.#find(find);
    const others = names === undefined ? [] : this.#find(names).renamed;
    return { path, start, end, text: withNames(replace, new Map([...others, ...renamed])) };
  }

  /** `renamed`: the names of the quote with those of its place. */
  #find(quote: string) {
    const quoted = parseQuote(quote).nodes;
    const { shape, names } = outlineOf(quoted);
    const kind = quoted[0] ? `${quoted[0].type} ${sizeOf(quoted[0])}` : '';
    const found = (this.#places.get(kind) ?? [])
      .map(({ path, siblings, index }) => ({ path, nodes: siblings.slice(index, index + quoted.length) }))
      .map(({ path, nodes }) => ({ path, nodes, outline: outlineOf(nodes) }))
      .filter(({ outline }) => outline.shape === shape);
    const [place] = found;
    const [first, last] = [place?.nodes[0], place?.nodes.at(-1)];
    if (!place || !first || !last || found.length > 1)
      throw new Error(`"${quote}" has ${found.length} places: ${found.map(({ path }) => path).join(', ')}`);
    const renamed = names.map((name, index) => [name, place.outline.names[index] ?? name] as const);
    return { path: place.path, start: first.start, end: last.end, renamed };
  }

  #changeOfText(path: string, find: string, replace: string): Change {
    const [before, ...after] = this.#files.get(path)?.split(find) ?? [];
    if (before === undefined || after.length !== 1) throw new Error(`"${find}" is not in ${path} exactly once`);
    return { path, start: before.length, end: before.length + find.length, text: replace };
  }

  /** Gives the number of nodes below `siblings`, themselves included. */
  #add(path: string, siblings: readonly Node[]): number {
    let sum = 0;
    for (const [index, node] of siblings.entries()) {
      let size = 1;
      for (const { value } of membersOf(node)) size += this.#add(path, nodesIn(value));
      const places = this.#places.get(`${node.type} ${size}`);
      if (places) places.push({ path, siblings, index });
      else this.#places.set(`${node.type} ${size}`, [{ path, siblings, index }]);
      sum += size;
    }
    return sum;
  }
}

function sizeOf(node: Node): number {
  return membersOf(node)
    .flatMap(({ value }) => nodesIn(value))
    .reduce((sum, each) => sum + sizeOf(each), 1);
}
