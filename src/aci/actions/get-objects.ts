/** The action get_objects. */
import { z } from 'zod'
import { type ApiObject, isLaboratoryKind } from '../../spec/index.ts'
import { defineAction } from '../define-action.ts'
import { getNamed } from '../get-named.ts'
import { findKind, refOf } from '../kinds.ts'
import { nameText } from '../name-text.ts'
import { showObject, toYaml } from '../show-object.ts'
import { isTroubled, summarise } from '../summarise.ts'
import { MOST_LETTERS, toText } from '../to-text.ts'

/** Events about what only the laboratory has. */
const isForeign = ({ involvedObject }: ApiObject): boolean =>
  isLaboratoryKind(String((involvedObject as { kind?: unknown } | undefined)?.kind ?? ''))

/** Events by time, the others by whether something is wrong with them. */
const rankOf = (object: ApiObject): number =>
  object.kind === 'Event'
    ? Date.parse(String(object.lastTimestamp ?? object.eventTime ?? object.metadata.creationTimestamp))
    : Number(isTroubled(object))

export const getObjects = defineAction({
  name: 'get_objects',
  about:
    'Gives objects of Kubernetes. Without a name all of a kind, a line each, those in trouble first; with a name the ' +
    'whole object as YAML. Kinds as kubectl knows them: pods, deployments, services, endpoints, configmaps, secrets, ' +
    'networkpolicies, resourcequotas, limitranges, hpa, pvc, nodes, events and others. Values of Secrets are shown ' +
    'only by name, in base64.',
  example: { kind: 'Deployment', name: 'cart' },
  isReadOnly: true,
  input: z.strictObject({
    kind: nameText.describe('Such as Deployment, deployments or deploy.'),
    name: nameText.min(1).optional().describe('Only the object of this name, in full.'),
    selector: z.string().max(2000).optional().describe('Only those with these labels: app=cart.'),
    namespace: nameText.optional().describe("The system's where absent."),
  }),
  async run(context, { kind, name, selector, namespace = context.briefing.namespace }) {
    const known = findKind(kind)
    if (name !== undefined) {
      const object = showObject(await getNamed(context, known, namespace, name), true)
      const rest = `The rest, where you have exec_shell: kubectl get ${known.plural} ${name} -o yaml.`
      const { text, isShortened } = toYaml(object, MOST_LETTERS - 300)
      return { ok: true, text: isShortened ? `${text}\n${rest}` : text, data: [object] }
    }
    const { items } = await context.api.list(
      refOf(known, namespace),
      selector === undefined ? {} : { labelSelector: selector },
    )
    const shown = items.filter((one) => !isForeign(one)).map((one) => showObject(one, false))
    const ordered = shown.toSorted((one, other) => rankOf(other) - rankOf(one))
    const text = toText(
      [{ title: `${known.kind}, ${shown.length} of them`, lines: ordered.map(summarise), otherwise: 'none' }],
      'The rest: give a selector such as app=NAME, or a name for one object in full.',
    )
    return { ok: true, text, data: shown }
  },
})
