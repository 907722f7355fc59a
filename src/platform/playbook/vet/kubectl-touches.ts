/** Estimates which objects the kubectl calls in a shell command access. */
import { kindOfWord } from './resource-names.ts'
import { type Touch, toTouch, UNKNOWN } from './touch.ts'

const READS = new Set([
  'get',
  'describe',
  'logs',
  'top',
  'explain',
  'api-resources',
  'version',
  'cluster-info',
  'auth',
])
const DELETES = new Set(['delete', 'drain'])
/** Verbs that name their objects in a file. */
const WITH_FILE = new Set(['apply', 'create', 'replace'])
/** Verbs with an implied kind. */
const IMPLIED: Readonly<Record<string, string>> = {
  cordon: 'Node',
  uncordon: 'Node',
  drain: 'Node',
  exec: 'Pod',
  cp: 'Pod',
  logs: 'Pod',
}
/** Verbs with a subcommand before the resource. */
const WITH_SUBCOMMAND = new Set(['rollout', 'set', 'top', 'certificate', 'config'])
const FLAGS_WITH_VALUE =
  /^(-n|--namespace|-l|--selector|-o|--output|-f|--filename|-p|--patch|--type|-c|--container|--context|--kubeconfig|--as|--token|-s|--server|--replicas|--timeout|--grace-period|--image|--field-selector|--patch-file|--dry-run)$/

/** Limits per call. */
const MAX_KINDS = 100
const MAX_NAMES = 20

interface Call {
  readonly words: readonly string[]
  readonly namespace: string | undefined
  readonly isAllNamespaces: boolean
}

const unquote = (token: string): string => token.replaceAll(/["'`()]/g, '')

/** Verbs whose `--` precedes a command for a pod. For other verbs, further names follow it. */
const WITH_COMMAND = /^(exec|run|debug|create (job|cronjob|cj))( |$)/
const QUOTED = /\\.|"(?:[^"\\]|\\.)*"|'[^']*'/g

/** Returns the index of the first `--` outside quotes, or -1. */
const findDashes = (tokens: readonly string[]): number => {
  const index = tokens.indexOf('--')
  const before = tokens.slice(0, Math.max(index, 0)).join(' ')
  return /["']/.test(before.replaceAll(QUOTED, '')) ? -1 : index
}

const readCall = (rawTokens: readonly string[]): Call => {
  const dashIndex = findDashes(rawTokens)
  const tokens = rawTokens.map(unquote)
  const words: string[] = []
  let namespace: string | undefined
  let isAllNamespaces = false
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index]!
    if (index === dashIndex && WITH_COMMAND.test(words.join(' '))) break
    const inline = /^(?:--namespace=|-n=?)(.+)$/.exec(token)
    if (token === '-n' || token === '--namespace') namespace = tokens[index + 1]
    else if (inline !== null) namespace = inline[1]
    if (token === '-A' || token.startsWith('--all-namespaces')) isAllNamespaces = true
    if (FLAGS_WITH_VALUE.test(token)) index += 1
    else if (!token.startsWith('-')) words.push(token)
  }
  return { words, namespace, isAllNamespaces }
}

/** Jinja expressions of variables and simple strings. Expressions with other strings are treated as text. */
const EXPRESSION = /\{\{(?:[^{}'"`\n]|'(?:\w[\w.-]*)?'|"(?:\w[\w.-]*)?")*\}\}/g

/**
 * Joins each expression into one word. Keeps shell separators, because the value of the expression can
 * contain them, and does not join expressions that mention kubectl.
 */
const joinExpressions = (command: string): string =>
  command.replaceAll(EXPRESSION, (text) =>
    /kubectl|k3s/.test(text) ? text : text.replaceAll(/[^\S\n]/g, ''),
  )

/** Command substitutions, which the shell runs first, even after `--`. */
const commandsInBackticks = (command: string): string[] =>
  command.split('`').filter((_, index) => index % 2 === 1)

/** The arguments of each kubectl call. */
const findCalls = (command: string): Call[] =>
  [command, ...commandsInBackticks(command)]
    .flatMap((text) => joinExpressions(text).split(/[;&|\n]|\$\(/))
    .map((segment) => segment.split(/\s+/).filter(unquote))
    .flatMap((tokens) => {
      const index = tokens.findIndex((token) => /(^|\/)(kubectl|k3s)$/.test(unquote(token)))
      if (index === -1) return []
      return [readCall(tokens.slice(unquote(tokens[index + 1] ?? '') === 'kubectl' ? index + 2 : index + 1))]
    })

const targetsOf = (verb: string, words: readonly string[]): { kind: string; name: string }[] => {
  const implied = IMPLIED[verb]
  const [first, ...names] = words
  if (implied !== undefined && (first === undefined || !first.includes('/')))
    return [{ kind: implied, name: first ?? UNKNOWN }]
  if (first === undefined) return [{ kind: UNKNOWN, name: UNKNOWN }]
  if (first.includes('/'))
    return words
      .filter((word) => word.includes('/'))
      .map((word) => word.split('/') as [string, string])
      .map(([kind, name]) => ({ kind: kindOfWord(kind), name: name || UNKNOWN }))
  const kinds = [...new Set(first.split(',').map(kindOfWord))].slice(0, MAX_KINDS)
  const objectNames = names.length === 0 ? ['*'] : names.slice(0, MAX_NAMES)
  return kinds.flatMap((kind) => objectNames.map((name) => ({ kind, name })))
}

const touchesOf = ({ words: [verb = '', ...rest], namespace, isAllNamespaces }: Call): Touch[] => {
  const action = READS.has(verb) ? 'read' : DELETES.has(verb) ? 'delete' : 'change'
  if (verb === 'config' || verb === 'wait') return []
  const words = WITH_SUBCOMMAND.has(verb) ? rest.slice(1) : rest
  const isDrain = verb === 'drain'
  const targets =
    WITH_FILE.has(verb) && words.length === 0 ? [{ kind: UNKNOWN, name: UNKNOWN }] : targetsOf(verb, words)
  return targets.map(({ kind, name }) =>
    toTouch(isDrain ? 'change' : action, { kind, name, namespace: isAllNamespaces ? '*' : namespace }),
  )
}

export const kubectlTouches = (command: string): Touch[] => findCalls(command).flatMap(touchesOf)
