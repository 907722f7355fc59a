/** Reads and changes the containers of a pod or of a pod template, for kubectl set. */
import { type Found, objectRef } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { printChange } from '../print/print-objects.ts'

export interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly resources?: Readonly<Record<string, any>>
}

export const podSpecOf = ({
  object,
  type,
}: Found): { containers: readonly Container[]; initContainers?: readonly Container[] } => {
  const spec = object.spec as Record<string, any>
  const found =
    type.kind === 'Pod'
      ? spec
      : type.kind === 'CronJob'
        ? spec.jobTemplate?.spec?.template?.spec
        : spec?.template?.spec
  if (found === undefined)
    throw new KubectlError(`error: the object is not a pod or does not have a pod template: ${object.kind}`)
  return found
}

const toPatch = ({ type }: Found, podSpec: object): object => {
  if (type.kind === 'Pod') return { spec: podSpec }
  const template = { spec: { template: { spec: podSpec } } }
  return type.kind === 'CronJob' ? { spec: { jobTemplate: template } } : template
}

/** Sends the changed containers. Prints nothing if none changed. */
export const updateContainers = async (
  call: KubectlCall,
  found: Found,
  changed: { containers?: object[]; initContainers?: object[] },
  word: string,
): Promise<void> => {
  const lists = Object.fromEntries(
    Object.entries(changed).filter(([, list]) => list !== undefined && list.length > 0),
  )
  if (Object.keys(lists).length === 0) return
  const object = await call.program.api.patch(objectRef(found), 'strategic', toPatch(found, lists), {
    fieldManager: 'kubectl-set',
  })
  printChange(call, { ...found, object }, word)
}

/** `-c` with wildcards; all containers by default. */
export const selectContainers = (
  call: KubectlCall,
  containers: readonly Container[],
): readonly Container[] => {
  const pattern = call.flags.text('containers') ?? '*'
  const compiled = new RegExp(
    `^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`,
  )
  return containers.filter(({ name }) => compiled.test(name))
}
