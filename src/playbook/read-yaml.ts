/** The YAML of a stranger, as Ansible reads YAML, with bounds on what it may blow up to. */
import { yamlLibrary } from '../kit/index.ts'

const MOST_BYTES = 256 * 2 ** 10
const MOST_REFERENCES = 100
const MOST_DEPTH = 64
const MOST_VALUES = 50_000

const tooLarge = (bytes: number): string =>
  `The playbook has ${Math.ceil(bytes / 1024)} KiB; ${MOST_BYTES / 1024} KiB are allowed.`
const TOO_DEEP = 'The playbook is nested too deeply to be meant.'
const TOO_MANY =
  'The playbook refers to itself so often that it would grow without end; write out what you mean.'

/** So deep, without a call for each level; counts the values on its way. */
const sizeOf = (whole: unknown): { depth: number; values: number } => {
  let depth = 0
  let values = 0
  const left: [value: unknown, level: number][] = [[whole, 0]]
  for (let next = left.pop(); next !== undefined && values <= MOST_VALUES; next = left.pop()) {
    const [value, level] = next
    values += 1
    depth = Math.max(depth, level)
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) left.push([inner, level + 1])
  }
  return { depth, values }
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
    ...{ lineCounter: lines, prettyErrors: false, version: '1.1', merge: true, uniqueKeys: false },
    logLevel: 'error',
  })
  const [broken] = document.errors
  if (broken !== undefined) {
    const { line, col } = lines.linePos(broken.pos[0])
    const what = broken.code === 'MULTIPLE_DOCS' ? 'a second document begins' : broken.message
    return { mistake: `The playbook is no YAML: line ${line}, column ${col}: ${what.split('\n')[0]}` }
  }
  return { value: document.toJS({ maxAliasCount: MOST_REFERENCES }) }
}

/** One sentence where it cannot be read. */
export const readPlaybookYaml = (text: string): { value: unknown } | { mistake: string } => {
  const bytes = Buffer.byteLength(text)
  if (bytes > MOST_BYTES) return { mistake: tooLarge(bytes) }
  if (text.includes('\0')) return { mistake: 'The playbook is no text: it has zero bytes in it.' }
  if (isBottomless(text)) return { mistake: TOO_DEEP }
  try {
    const read = parse(text)
    if ('mistake' in read) return read
    const { depth, values } = sizeOf(read.value)
    if (values > MOST_VALUES)
      return { mistake: `The playbook has more than ${MOST_VALUES} values, which nobody could mean.` }
    return depth > MOST_DEPTH ? { mistake: TOO_DEEP } : read
  } catch (error) {
    if (error instanceof RangeError) return { mistake: TOO_DEEP }
    return {
      mistake:
        error instanceof ReferenceError ? TOO_MANY : `The playbook is no YAML: ${(error as Error).message}`,
    }
  }
}
