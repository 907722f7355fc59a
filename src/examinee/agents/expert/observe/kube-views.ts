/** Views of Kubernetes objects that several runbooks share. */
import { type ApiObject, type PodSpecView, type PodTemplateView, viewAs } from '#spec'

export type Labels = Readonly<Record<string, string>>

/** A pod template whose spec is present, as in every workload that the API returns. */
export type Template = PodTemplateView & { readonly spec: PodSpecView }

export const annotationsOf = (object: ApiObject): Labels => viewAs('Pod', object).metadata?.annotations ?? {}

export const ownerUidsOf = (object: ApiObject): readonly string[] =>
  (viewAs('Pod', object).metadata?.ownerReferences ?? []).map(({ uid }) => uid)

/** Whether an equality-based selector selects the labels. An empty selector selects nothing. */
export const isSelected = (selector: Labels | undefined, labels: Labels): boolean => {
  const required = Object.entries(selector ?? {})
  return required.length > 0 && required.every(([name, value]) => labels[name] === value)
}

/** The names of the claims that a pod mounts. */
export const claimsOf = ({ volumes = [] }: PodSpecView): readonly string[] =>
  volumes.flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
