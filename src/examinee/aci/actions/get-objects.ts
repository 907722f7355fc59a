/** The action get_objects. */
import { z } from 'zod'
import { defined } from '#kit'
import { type ApiObject, isLaboratoryKind, viewAs } from '#spec'
import { defineAction } from '../define-action.ts'
import { getNamed } from '../get-named.ts'
import { findKind, refOf } from '../kinds.ts'
import { nameText } from '../name-text.ts'
import { showObject, toYaml } from '../show-object.ts'
import { isUnhealthy, summarise } from '../summarise.ts'
import { MAX_CHARACTERS, toText } from '../to-text.ts'

/** Whether the object is an event about an object of a kind that only the laboratory creates. */
const isLaboratoryEvent = (object: ApiObject): boolean =>
  isLaboratoryKind(viewAs('Event', object).involvedObject?.kind ?? '')

/** Ranks events by time, and other objects by whether they are unhealthy. */
const rankOf = (object: ApiObject): number =>
  object.kind === 'Event'
    ? Date.parse(String(object.lastTimestamp ?? object.eventTime ?? object.metadata.creationTimestamp))
    : Number(isUnhealthy(object))

export const getObjects = defineAction({
  name: 'get_objects',
  about:
    'Returns Kubernetes objects. Without name, it lists all objects of a kind, one per line, unhealthy objects first. With ' +
    'name, it returns the complete object as YAML. kind accepts the names that kubectl accepts: pods, deployments, ' +
    'services, endpoints, configmaps, secrets, networkpolicies, resourcequotas, limitranges, hpa, pvc, nodes, events and ' +
    'others. The values of a Secret are returned, in base64, only if the Secret is requested by name.',
  example: { kind: 'Deployment', name: 'cart' },
  isReadOnly: true,
  reach: 'nothing',
  input: z.strictObject({
    kind: nameText.describe('The kind, such as Deployment, deployments or deploy.'),
    name: nameText.min(1).optional().describe('The name of one object to return in full.'),
    selector: z
      .string()
      .max(2000)
      .optional()
      .describe('A label selector, such as app=cart. It has no effect if name is given.'),
    namespace: nameText.optional().describe('The namespace. Default: the namespace of the system.'),
  }),
  async run(context, { kind, name, selector, namespace = context.briefing.namespace }) {
    const knownKind = findKind(kind)
    if (name !== undefined) {
      const object = showObject(await getNamed(context, knownKind, namespace, name), true)
      const hint = `Output truncated. To see more, if exec_shell is available, run kubectl get ${knownKind.plural} ${name} -o yaml.`
      const { text, isShortened } = toYaml(object, MAX_CHARACTERS - 300)
      return { ok: true, text: isShortened ? `${text}\n${hint}` : text, data: [object] }
    }
    const { items } = await context.api.list(
      refOf(knownKind, namespace),
      defined({ labelSelector: selector }),
    )
    const shown = items
      .filter((object) => !isLaboratoryEvent(object))
      .map((object) => showObject(object, false))
    const ordered = shown.toSorted((a, b) => rankOf(b) - rankOf(a))
    const text = toText(
      [{ title: `${knownKind.kind} (${shown.length})`, lines: ordered.map(summarise), ifEmpty: 'none' }],
      'Output truncated. To see more, pass a selector such as app=NAME, or the name of one object.',
    )
    return { ok: true, text, data: shown }
  },
})
