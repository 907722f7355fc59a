/** The action describe. */
import { z } from 'zod'
import { type ApiObject, type ClusterEvent, viewAs } from '#spec'
import { type ActionContext, defineAction } from '../define-action.ts'
import { getNamed } from '../get-named.ts'
import { findKind, type KnownKind, refOf } from '../kinds.ts'
import { nameText } from '../name-text.ts'
import { showObject, toYaml } from '../show-object.ts'
import { summarise } from '../summarise.ts'
import { clip, formatSections, MAX_CHARACTERS, toClock } from '../to-text.ts'

const MAX_EVENTS = 1000
/** Reserved for the line that says how to see truncated parts. */
const RESERVED_CHARACTERS = 300
/** Reserved for the object, which also gets the characters that the other sections do not use. */
const MIN_OBJECT_CHARACTERS = 3400
const MAX_OTHER_CHARACTERS = MAX_CHARACTERS - MIN_OBJECT_CHARACTERS - RESERVED_CHARACTERS

/** For each kind of owner: the kinds of objects it owns, directly or through an earlier kind in the list. */
const OWNED_KINDS: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['ReplicaSet', 'Pod'],
  ReplicaSet: ['Pod'],
  StatefulSet: ['ControllerRevision', 'Pod'],
  DaemonSet: ['Pod'],
  Job: ['Pod'],
  CronJob: ['Job', 'Pod'],
  Service: ['EndpointSlice'],
}

const ownerUidsOf = (object: ApiObject): string[] =>
  (viewAs('Pod', object).metadata?.ownerReferences ?? []).map(({ uid }) => uid)

/** Whether the object is a ReplicaSet that a rollout has scaled down to zero. */
const isOldRevision = (object: ApiObject): boolean => {
  const { spec, status } = viewAs('ReplicaSet', object)
  return object.kind === 'ReplicaSet' && spec?.replicas === 0 && status?.replicas === 0
}

/** Lists the objects that an object owns, directly or indirectly. */
const listOwned = async (
  { api, briefing }: ActionContext,
  { kind }: KnownKind,
  object: ApiObject,
): Promise<ApiObject[]> => {
  const uids = new Set([String(object.metadata.uid)])
  const owned: ApiObject[] = []
  for (const ownedKind of OWNED_KINDS[kind] ?? []) {
    const { items } = await api.list(refOf(findKind(ownedKind), briefing.namespace))
    const ownedOfKind = items.filter((candidate) => ownerUidsOf(candidate).some((uid) => uids.has(uid)))
    for (const { metadata } of ownedOfKind) uids.add(String(metadata.uid))
    owned.push(...ownedOfKind)
  }
  return owned.filter((candidate) => !isOldRevision(candidate))
}

const describeEvent = ({ time, type, reason, object, message, count }: ClusterEvent): string =>
  `${toClock(time)} ${type} ${reason} ${object}${count > 1 ? ` (${count} times)` : ''}: ${message}`

export const describe = defineAction({
  name: 'describe',
  about:
    'Returns one Kubernetes object as YAML, a list of the objects it owns (for a Deployment: its ReplicaSets and pods), ' +
    'and the events about all of these objects, newest first. Events report why a pod does not start, was killed or ' +
    'cannot be scheduled.',
  example: { kind: 'Deployment', name: 'cart' },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    kind: nameText.describe('The kind of the object, such as Deployment, Pod or Node.'),
    name: nameText.min(1).describe('The name of the object.'),
  }),
  async run(context, { kind, name }) {
    const knownKind = findKind(kind)
    const object = showObject(await getNamed(context, knownKind, context.briefing.namespace, name), true)
    const owned = (await listOwned(context, knownKind, object)).map((candidate) =>
      showObject(candidate, false),
    )
    const objectNames = new Set(
      [object, ...owned].map((candidate) => `${candidate.kind}/${candidate.metadata.name}`),
    )
    const allEvents = await context.telemetry.events({ limit: MAX_EVENTS })
    const events = allEvents.filter((event) => objectNames.has(event.object))
    const hint =
      'Output truncated. To see more, call get_objects with the kind and name of one object, or query the table events with query_telemetry.'
    const otherSections = formatSections([
      {
        title: 'Owned objects',
        lines: owned.map((candidate) => `${candidate.kind} ${summarise(candidate)}`),
        ifEmpty: 'none',
        maxLines: 20,
      },
      {
        title: 'Events, newest first',
        lines: events.toReversed().map(describeEvent),
        ifEmpty: 'none',
        maxLines: 20,
      },
    ])
    const objectCharacters = Math.max(
      MIN_OBJECT_CHARACTERS,
      MAX_CHARACTERS - otherSections.text.length - RESERVED_CHARACTERS,
    )
    const { text, isShortened } = toYaml(object, objectCharacters)
    const isTruncated =
      isShortened || otherSections.isTruncated || otherSections.text.length > MAX_OTHER_CHARACTERS
    return {
      ok: true,
      text: `${clip(otherSections.text, MAX_OTHER_CHARACTERS, 0.8)}\n\n${text}${isTruncated ? `\n${hint}` : ''}`,
      data: { object, owned, events },
    }
  },
})
