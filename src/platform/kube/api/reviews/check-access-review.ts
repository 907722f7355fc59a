/** Validates access reviews, with the messages of a real server. */
import {
  badRequest,
  type FieldError,
  goStringMap,
  goValue,
  invalid,
  invalidObject,
  type KubeObject,
} from '#platform/kube/meta'

/** A review whose spec has been decoded with its schema. */
export interface DecodedReview {
  spec: Record<string, any>
  metadata: Partial<KubeObject['metadata']>
}

const GROUP = 'authorization.k8s.io'

const goPath = ({ path = '', verb = '' }: { path?: string; verb?: string }): { go: string } => ({
  go: `authorization.NonResourceAttributes{Path:${goValue(path)}, Verb:${goValue(verb)}}`,
})

/** Formats metadata as Go prints it; a client can set no other fields. */
const goMetadata = ({
  name = '',
  generateName = '',
  namespace = '',
  labels,
  annotations,
}: DecodedReview['metadata']): { go: string } => ({
  go: [
    `v1.ObjectMeta{Name:${goValue(name)}, GenerateName:${goValue(generateName)}, Namespace:${goValue(namespace)}`,
    'SelfLink:"", UID:"", ResourceVersion:"", Generation:0',
    'CreationTimestamp:time.Date(1, time.January, 1, 0, 0, 0, 0, time.UTC), DeletionTimestamp:<nil>',
    'DeletionGracePeriodSeconds:(*int64)(nil)',
    `Labels:${goStringMap(labels).go}, Annotations:${goStringMap(annotations).go}`,
    'OwnerReferences:[]v1.OwnerReference(nil), Finalizers:[]string(nil)',
    'ManagedFields:[]v1.ManagedFieldsEntry(nil)}',
  ].join(', '),
})

const checkAttributes = ({
  resourceAttributes,
  nonResourceAttributes,
}: DecodedReview['spec']): FieldError[] => {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes'
    return [invalid('spec.nonResourceAttributes', goPath(nonResourceAttributes), detail)]
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return []
  const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified'
  return [invalid('spec.resourceAttributes', 'null', detail)]
}

const checkUser = ({ user = '', groups = [] }: DecodedReview['spec']): FieldError[] =>
  user === '' && groups.length === 0
    ? [invalid('spec.user', user, 'at least one of user or group must be specified')]
    : []

const checkMetadata = (metadata: DecodedReview['metadata'], allowed: readonly string[]): FieldError[] => {
  const forbidden = Object.entries(metadata).filter(
    ([key, value]) => !allowed.includes(key) && Boolean(value),
  )
  if (forbidden.length === 0) return []
  const exception = allowed.includes('namespace') ? ' except for namespace' : ''
  return [invalid('metadata', goMetadata(metadata), `must be empty${exception}`)]
}

const checkLocal = ({ spec }: DecodedReview, namespace: string): FieldError[] => {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec
  const requested = resource?.namespace ?? ''
  return [
    ...(resource !== undefined && requested !== namespace
      ? [invalid('spec.resourceAttributes.namespace', requested, 'must match metadata.namespace')]
      : []),
    ...(path !== undefined
      ? [invalid('spec.nonResourceAttributes', goPath(path), 'disallowed on this kind of request')]
      : []),
  ]
}

// A real server omits the kind here, so its message starts with a dot.
const throwIfAny = (errors: FieldError[]): void => {
  if (errors.length > 0) throw invalidObject(GROUP, '', '', errors)
}

export const checkSelfReview = ({ spec, metadata }: DecodedReview): void =>
  throwIfAny([...checkAttributes(spec), ...checkMetadata(metadata, ['managedFields'])])

export const checkReview = ({ spec, metadata }: DecodedReview): void =>
  throwIfAny([...checkAttributes(spec), ...checkUser(spec), ...checkMetadata(metadata, ['managedFields'])])

/** `namespace` is the namespace of the path. */
export const checkLocalReview = (review: DecodedReview, namespace: string): void => {
  const { spec, metadata } = review
  if ((metadata.namespace || namespace) !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  throwIfAny([
    ...checkAttributes(spec),
    ...checkUser(spec),
    ...checkMetadata(metadata, ['managedFields', 'namespace']),
    ...checkLocal(review, namespace),
  ])
}
