/** The action get_objects. */
import { z } from 'zod'
import { nearestName } from '../../kit/index.ts'
import type { ApiObject } from '../../spec/index.ts'
import { type ActionContext, ActionRefusal, defineAction } from '../define-action.ts'
import { findKind, type KnownKind, refOf } from '../kinds.ts'
import { nameText } from '../name-text.ts'
import { isTroubled, showObject, summarise, toYaml } from '../show-object.ts'
import { MOST_LETTERS, toText } from '../to-text.ts'

/** Events about what only the laboratory has. */
const isForeign = ({ involvedObject }: ApiObject): boolean =>
  /Chaos$/.test(String((involvedObject as { kind?: unknown } | undefined)?.kind ?? ''))

/** Events by time, the others by whether something is wrong with them. */
const rankOf = (object: ApiObject): number =>
  object.kind === 'Event'
    ? Date.parse(String(object.lastTimestamp ?? object.eventTime ?? object.metadata.creationTimestamp))
    : Number(isTroubled(object))

/** Refuses a name that no object of the kind has. */
export const getNamed = async (
  { api }: ActionContext,
  kind: KnownKind,
  namespace: string,
  name: string,
): Promise<ApiObject> => {
  const ref = refOf(kind, namespace)
  try {
    return await api.get({ ...ref, name })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 404) throw error
    const names = (await api.list(ref)).items.map(({ metadata }) => metadata.name)
    const near = nearestName(name, names) ?? names.find((one) => one.startsWith(name))
    throw new ActionRefusal(
      `There is no ${kind.kind} "${name}"${near === undefined ? '' : `; did you mean "${near}"`}. There are: ${names.slice(0, 60).join(', ') || 'none'}.`,
    )
  }
}

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
