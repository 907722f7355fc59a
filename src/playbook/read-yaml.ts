/** The YAML of a stranger, as Ansible reads YAML, with bounds on what it may blow up to. */
import { findYamlExcess, type YamlBounds, type YamlExcess, yamlLibrary } from '../kit/index.ts'

const MOST_BYTES = 256 * 2 ** 10
/** Nobody who forgot the quotation marks around an expression writes more than that into a key. */
const MOST_IN_KEY = 50

/** Of all that an agent writes, in a playbook or in a text within it. */
export const BOUNDS: YamlBounds = {
  values: 50_000,
  letters: 2 ** 20,
  depth: 64,
  valuesInKey: MOST_IN_KEY,
  references: 200,
}

const tooLarge = (bytes: number): string =>
  `The playbook has ${Math.ceil(bytes / 1024)} KiB; ${MOST_BYTES / 1024} KiB are allowed.`
const TOO_DEEP = 'The playbook is nested too deeply to be meant.'

const excessText = (excess: YamlExcess): string => {
  if (excess.what === 'unknown')
    return `The playbook is no YAML: *${excess.name} refers to nothing that stands before it.`
  if (excess.what === 'cycle')
    return `The playbook is no YAML: *${excess.name} refers to what it is a part of.`
  if (excess.what === 'depth') return TOO_DEEP
  if (excess.what === 'key') return `The playbook has a key of more than ${MOST_IN_KEY} values.`
  if (excess.what === 'references') return `The playbook has more than ${BOUNDS.references} references.`
  return `The playbook would grow to more than ${BOUNDS.values} values or ${BOUNDS.letters} letters; write out what you mean.`
}

const MOST_OPEN = 200
/** Lists and keys that begin in one line, one within the other. */
const BEGUN = /(?:-[ \t]+){65}|(?:\?[ \t]+){65}/

/** More open brackets than anybody needs, though some may stand in text: the library would take a call for each. */
const isBottomless = (text: string): boolean => {
  let open = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1)
    if (open > MOST_OPEN) return true
  }
  return BEGUN.test(text)
}

const parse = (text: string): { value: unknown } | { mistake: string } => {
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  // As Ansible does: yes and no are true and false, and of two keys of one name the later counts.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
  })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    const what = broken.code === 'MULTIPLE_DOCS' ? 'a second document begins' : broken.message
    return { mistake: `The playbook is no YAML: line ${line}, column ${col}: ${what.split('\n')[0]}` }
  }
  const excess = findYamlExcess(document.contents, BOUNDS)
  return excess === undefined
    ? { value: document.toJS({ maxAliasCount: -1 }) }
    : { mistake: excessText(excess) }
}

/** One sentence where it cannot be read. */
export const readPlaybookYaml = (text: string): { value: unknown } | { mistake: string } => {
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_BYTES) return { mistake: tooLarge(bytes) }
  if (text.includes('\0')) return { mistake: 'The playbook is no text: it has zero bytes in it.' }
  if (isBottomless(text)) return { mistake: TOO_DEEP }
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError) return { mistake: TOO_DEEP }
    return { mistake: `The playbook is no YAML: ${(error as Error).message}` }
  }
}
