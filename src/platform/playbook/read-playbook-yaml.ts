/** Reads untrusted YAML as Ansible does, with limits on its expanded size. */
import { findYamlExcess, type YamlBounds, type YamlExcess, yamlLibrary } from '#kit'

const MAX_BYTES = 256 * 2 ** 10
/**
 * YAML parses an unquoted expression such as `{{ name }}` as a map whose key is a map. Such keys are small.
 */
const MAX_VALUES_IN_KEY = 50

/** Limits for playbooks and for manifests within them. */
export const BOUNDS: YamlBounds = {
  values: 50_000,
  characters: 2 ** 20,
  depth: 64,
  valuesInKey: MAX_VALUES_IN_KEY,
  aliases: 200,
}

const tooLarge = (bytes: number): string =>
  `The playbook has a size of ${Math.ceil(bytes / 1024)} KiB; at most ${MAX_BYTES / 1024} KiB are allowed.`
const TOO_DEEP = 'The playbook is nested too deeply.'

const excessText = (excess: YamlExcess): string => {
  if (excess.kind === 'unknown')
    return `The playbook is not valid YAML: the alias *${excess.name} has no anchor before it.`
  if (excess.kind === 'cycle')
    return `The playbook is not valid YAML: the alias *${excess.name} refers to a node that contains it.`
  if (excess.kind === 'depth') return TOO_DEEP
  if (excess.kind === 'key') return `The playbook has a key with more than ${MAX_VALUES_IN_KEY} values.`
  if (excess.kind === 'aliases') return `The playbook has more than ${BOUNDS.aliases} aliases.`
  return `The playbook has more than ${BOUNDS.values} values or ${BOUNDS.characters} characters with its aliases expanded; shorten it.`
}

const MAX_OPEN_BRACKETS = 200
/** Nested lists or keys that begin on one line. */
const NESTED_IN_LINE = /(?:-[ \t]+){65}|(?:\?[ \t]+){65}/

/** Counts open brackets, including those in strings. The library recurses for each one and could exhaust the stack. */
const isNestedTooDeeply = (text: string): boolean => {
  let openBrackets = 0
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    openBrackets = bracket === '[' || bracket === '{' ? openBrackets + 1 : Math.max(0, openBrackets - 1)
    if (openBrackets > MAX_OPEN_BRACKETS) return true
  }
  return NESTED_IN_LINE.test(text)
}

const parse = (text: string): { value: unknown } | { mistake: string } => {
  const { LineCounter, parseDocument } = yamlLibrary()
  const lines = new LineCounter()
  // As in Ansible: `yes` and `no` are booleans, and the last of duplicate keys wins.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.1',
    merge: true,
    uniqueKeys: false,
    logLevel: 'error',
  })
  const [firstError] = document.errors
  if (firstError !== undefined) {
    const { line, col } = lines.linePos(firstError.pos[0])
    const problem = firstError.code === 'MULTIPLE_DOCS' ? 'a second document begins' : firstError.message
    return {
      mistake: `The playbook is not valid YAML: line ${line}, column ${col}: ${problem.split('\n')[0]}`,
    }
  }
  const excess = findYamlExcess(document.contents, BOUNDS)
  return excess === undefined
    ? { value: document.toJS({ maxAliasCount: -1 }) }
    : { mistake: excessText(excess) }
}

/** Returns the value, or one sentence about the mistake. */
export const readPlaybookYaml = (text: string): { value: unknown } | { mistake: string } => {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) return { mistake: tooLarge(bytes) }
  if (text.includes('\0')) return { mistake: 'The playbook is not text: it contains zero bytes.' }
  if (isNestedTooDeeply(text)) return { mistake: TOO_DEEP }
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof RangeError) return { mistake: TOO_DEEP }
    return { mistake: `The playbook is not valid YAML: ${(error as Error).message}` }
  }
}
