/** The action describe. */
import { z } from 'zod'
import type { ApiObject, ClusterEvent } from '../../spec/index.ts'
import { type ActionContext, defineAction } from '../define-action.ts'
import { getNamed } from '../get-named.ts'
import { findKind, type KnownKind, refOf } from '../kinds.ts'
import { nameText } from '../name-text.ts'
import { showObject, toYaml } from '../show-object.ts'
import { summarise } from '../summarise.ts'
import { clip, MOST_LETTERS, tellSections, toClock } from '../to-text.ts'

const MOST_EVENTS = 1000
/** Kept free for the last line. */
const RESERVE = 300
/** Of the answer, for the object itself; more where the rest of it is short. */
const OBJECT_LETTERS = 3400
const OTHER_LETTERS = MOST_LETTERS - OBJECT_LETTERS - RESERVE

/** What those of a kind make: those below it are asked whether it owns them. */
const MAKES: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['ReplicaSet', 'Pod'],
  ReplicaSet: ['Pod'],
  StatefulSet: ['ControllerRevision', 'Pod'],
  DaemonSet: ['Pod'],
  Job: ['Pod'],
  CronJob: ['Job', 'Pod'],
  Service: ['EndpointSlice'],
}

const ownersOf = ({ metadata }: ApiObject): string[] =>
  ((metadata.ownerReferences ?? []) as { uid: string }[]).map(({ uid }) => uid)

/** All that it made, and what these made. */
const ownedBy = async (
  { api, briefing }: ActionContext,
  { kind }: KnownKind,
  object: ApiObject,
): Promise<ApiObject[]> => {
  const uids = new Set([String(object.metadata.uid)])
  const owned: ApiObject[] = []
  for (const name of MAKES[kind] ?? []) {
    const { items } = await api.list(refOf(findKind(name), briefing.namespace))
    const own = items.filter((one) => ownersOf(one).some((uid) => uids.has(uid)))
    for (const { metadata } of own) uids.add(String(metadata.uid))
    owned.push(...own)
  }
  return owned.filter(({ spec, status, kind: made }) => {
    // Those of old revisions have nothing any more.
    const { replicas } = (spec ?? {}) as { replicas?: number }
    return made !== 'ReplicaSet' || replicas !== 0 || (status as { replicas?: number })?.replicas !== 0
  })
}

const describeEvent = ({ time, type, reason, object, message, count }: ClusterEvent): string =>
  `${toClock(time)} ${type} ${reason} of ${object}${count > 1 ? ` (${count} times)` : ''}: ${message}`

export const describe = defineAction({
  name: 'describe',
  about:
    'Gives one object as YAML with all that it owns (a Deployment its ReplicaSets and pods, a pod nothing) and the ' +
    'events about any of them, the newest first: why pods do not start, are killed, or are not scheduled.',
  example: { kind: 'Deployment', name: 'cart' },
  isReadOnly: true,
  input: z.strictObject({
    kind: nameText.describe('Such as Deployment, Pod or Node.'),
    name: nameText.min(1),
  }),
  async run(context, { kind, name }) {
    const known = findKind(kind)
    const object = showObject(await getNamed(context, known, context.briefing.namespace, name), true)
    const owned = (await ownedBy(context, known, object)).map((one) => showObject(one, false))
    const about = new Set([object, ...owned].map((one) => `${one.kind}/${one.metadata.name}`))
    const all = await context.telemetry.events({ limit: MOST_EVENTS })
    const events = all.filter((one) => about.has(one.object))
    const rest = 'The rest: get_objects with the name of one of them, or query_telemetry on the table events.'
    const others = tellSections([
      {
        title: 'Owns',
        lines: owned.map((one) => `${one.kind} ${summarise(one)}`),
        otherwise: 'nothing',
        most: 20,
      },
      {
        title: 'Events, the newest first',
        lines: events.toReversed().map(describeEvent),
        otherwise: 'none',
        most: 20,
      },
    ])
    const room = Math.max(OBJECT_LETTERS, MOST_LETTERS - others.text.length - RESERVE)
    const { text, isShortened } = toYaml(object, room)
    const isCut = isShortened || others.isCut || others.text.length > OTHER_LETTERS
    return {
      ok: true,
      text: `${clip(others.text, OTHER_LETTERS, 0.8)}\n\n${text}${isCut ? `\n${rest}` : ''}`,
      data: { object, owned, events },
    }
  },
})
