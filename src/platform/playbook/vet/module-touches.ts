/** Derives the objects that a task accesses from its module and arguments. */
import { findYamlExcess, isPlainObject, yamlLibrary } from '#kit'
import type { YamlMap } from '../playbook.ts'
import { BOUNDS } from '../read-playbook-yaml.ts'
import { kubectlTouches } from './kubectl-touches.ts'
import { isExpression, type Touch, toTouch, UNKNOWN } from './touch.ts'

const READS = /_(info|log|facts)$/
/** Modules with an implied kind. */
const KINDS: Readonly<Record<string, string>> = {
  k8s_drain: 'Node',
  k8s_taint: 'Node',
  k8s_exec: 'Pod',
  k8s_cp: 'Pod',
  k8s_log: 'Pod',
  k8s_service: 'Service',
}
const COMMANDS = new Set(['ansible.builtin.command', 'ansible.builtin.shell', 'ansible.builtin.raw'])

/** Definitions in an argument: maps, lists of maps, or YAML text. */
const definitionsIn = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value.flatMap(definitionsIn)
  if (typeof value !== 'string') return value === undefined || value === null ? [] : [value]
  if (isExpression(value)) return [UNKNOWN]
  try {
    const documents = yamlLibrary().parseAllDocuments(value, { logLevel: 'silent', prettyErrors: false })
    return [...documents].map((document) =>
      findYamlExcess(document.contents, BOUNDS) === undefined
        ? document.toJS({ maxAliasCount: -1 })
        : UNKNOWN,
    )
  } catch {
    return [UNKNOWN]
  }
}

const actionOf = (module: string, state: unknown): Touch['action'] => {
  if (READS.test(module)) return 'read'
  return state === 'absent' ? 'delete' : 'change'
}

const touchOfDefinition = (definition: unknown, action: Touch['action'], fallback: YamlMap): Touch => {
  if (!isPlainObject(definition)) return toTouch(action, { kind: UNKNOWN, name: UNKNOWN })
  const metadata = isPlainObject(definition.metadata) ? definition.metadata : {}
  return toTouch(action, {
    kind: definition.kind ?? fallback.kind,
    namespace: metadata.namespace ?? fallback.namespace,
    name: metadata.name ?? fallback.name,
  })
}

const kubernetesTouches = (module: string, args: YamlMap): Touch[] => {
  const short = module.split('.').at(-1)!
  if (short.startsWith('helm'))
    return [toTouch('change', { kind: 'Release', namespace: args.release_namespace, name: args.name })]
  const action = actionOf(short, args.state)
  const definitions = [args.definition, args.resource_definition].flatMap(definitionsIn)
  if (definitions.length > 0) return definitions.map((each) => touchOfDefinition(each, action, args))
  if (args.src !== undefined || args.template !== undefined)
    return [toTouch(action, { kind: args.kind ?? UNKNOWN, namespace: args.namespace, name: args.name })]
  const kind = KINDS[short] ?? args.kind ?? (short === 'k8s_cluster_info' ? undefined : UNKNOWN)
  if (kind === undefined) return []
  return [
    toTouch(action, {
      kind,
      namespace: args.namespace,
      name: args.name ?? args.pod ?? (action === 'read' ? '*' : UNKNOWN),
    }),
  ]
}

/** The command of a task in any of its notations. */
export const commandOf = (args: unknown): string => {
  if (typeof args === 'string') return args
  if (!isPlainObject(args)) return ''
  const { cmd, argv, _raw_params: raw } = args
  if (Array.isArray(argv)) return argv.join(' ')
  return [cmd, raw].filter((each) => typeof each === 'string').join(' ')
}

export const touchesOfTask = (module: string, args: unknown): Touch[] => {
  if (COMMANDS.has(module)) return kubectlTouches(commandOf(args))
  if (!/^(kubernetes\.core|community\.kubernetes)\./.test(module)) return []
  if (isPlainObject(args)) return kubernetesTouches(module, args)
  // `k8s: state=absent kind=Namespace name=x`
  const words = [...String(args ?? '').matchAll(/\b(\w{1,40})=("[^"]*"|'[^']*'|\S+)/g)]
  return kubernetesTouches(
    module,
    Object.fromEntries(words.map(([, key, value]) => [key!, value!.replace(/^["']|["']$/g, '')])),
  )
}
