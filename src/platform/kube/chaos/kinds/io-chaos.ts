/** IOChaos: injects latency, errors and wrong data into file systems. */
import { type FieldError, invalid, required } from '#platform/kube/meta'
import type { IoFault } from '#platform/kube/ports'
import { defineChaosKind, singleSelection } from '../chaos-kind.ts'
import type { ChaosSpec } from '../chaos-object.ts'
import { choiceOf, containerChoice, fields, integer, POD_CHOICE_REQUIRED, text } from '../chaos-schema.ts'
import { parseDuration } from '../parse-duration.ts'

const METHODS = [
  'lookup',
  'forget',
  'getattr',
  'setattr',
  'readlink',
  'mknod',
  'mkdir',
  'unlink',
  'rmdir',
  'symlink',
  'rename',
  'link',
  'open',
  'read',
  'write',
  'flush',
  'release',
  'fsync',
  'opendir',
  'readdir',
  'releasedir',
  'fsyncdir',
  'statfs',
  'setxattr',
  'getxattr',
  'listxattr',
  'removexattr',
  'access',
  'create',
  'getlk',
  'setlk',
  'bmap',
]

const TIMES = ['atime', 'mtime', 'ctime']
const timestamp = fields({ sec: integer({ format: 'int64' }), nsec: integer({ format: 'int64' }) }, [
  'sec',
  'nsec',
])
const attributes = fields({
  ...Object.fromEntries(TIMES.map((name) => [name, timestamp])),
  ...Object.fromEntries(
    ['ino', 'size', 'blocks', 'perm', 'nlink', 'uid', 'gid', 'rdev'].map((name) => [
      name,
      integer({ minimum: 0 }),
    ]),
  ),
  kind: choiceOf('namedPipe', 'charDevice', 'blockDevice', 'directory', 'regularFile', 'symlink', 'socket'),
})

/** Converts timestamps to seconds. */
const toAttributes = (attr: Record<string, any>): Record<string, number | string> =>
  Object.fromEntries(
    Object.entries(attr).map(([name, value]) => [
      name,
      TIMES.includes(name) ? value.sec + value.nsec / 1e9 : value,
    ]),
  )

const toEffect = (spec: ChaosSpec): IoFault['effect'] => {
  switch (spec.action) {
    case 'latency':
      return { kind: 'latency', delayMs: parseDuration(spec.delay) ?? 0 }
    case 'fault':
      return { kind: 'error', errno: spec.errno }
    case 'attrOverride':
      return { kind: 'attributes', attributes: toAttributes(spec.attr) }
    default:
      return {
        kind: 'mistake',
        filling: spec.mistake.filling ?? 'zero',
        maxOccurrences: spec.mistake.maxOccurrences ?? 1,
        maxLength: spec.mistake.maxLength ?? 1,
      }
  }
}

/** The required field of each action. */
const REQUIRED_FIELDS: Readonly<Record<string, string>> = {
  latency: 'delay',
  fault: 'errno',
  attrOverride: 'attr',
  mistake: 'mistake',
}

const validate = (spec: ChaosSpec): FieldError[] => {
  const field = REQUIRED_FIELDS[spec.action]!
  const { delay, volumePath } = spec
  return [
    ...(spec[field] === undefined
      ? [required(`spec.${field}`, `must be set with action ${spec.action}`)]
      : []),
    ...(delay !== undefined && parseDuration(delay) === undefined
      ? [invalid('spec.delay', delay, `parse delay field error: invalid duration "${delay}"`)]
      : []),
    ...(volumePath.startsWith('/')
      ? []
      : [invalid('spec.volumePath', volumePath, 'must be an absolute path')]),
  ]
}

export const ioChaos = defineChaosKind({
  kind: 'IOChaos',
  hasAction: true,
  properties: {
    ...containerChoice,
    action: choiceOf('latency', 'fault', 'attrOverride', 'mistake'),
    volumePath: text({ description: 'The mount point in the container.' }),
    path: text({
      description: 'A pattern of the affected files. Defaults to all files below the mount point.',
    }),
    methods: { type: 'array', items: choiceOf(...METHODS) },
    percent: integer({ minimum: 0, maximum: 100, default: 100 }),
    delay: text(),
    errno: integer({ minimum: 1, maximum: 4095 }),
    attr: attributes,
    mistake: fields({
      filling: choiceOf('zero', 'random'),
      maxOccurrences: integer({ minimum: 1 }),
      maxLength: integer({ minimum: 1 }),
    }),
  },
  required: ['action', 'volumePath', ...POD_CHOICE_REQUIRED],
  validate,
  selections: singleSelection('container'),
  faults: ({ chaos: { spec }, containerTarget }) => [
    {
      type: 'io',
      target: containerTarget,
      volumePath: spec.volumePath,
      ...(spec.path === undefined || spec.path === '' ? {} : { path: spec.path }),
      ...(spec.methods === undefined || spec.methods.length === 0 ? {} : { methods: spec.methods }),
      percent: spec.percent,
      effect: toEffect(spec),
    },
  ],
})
