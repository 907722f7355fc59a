/** The parts of Kubernetes objects that the Expert reads, as the API gives them. */
import type { ApiObject } from '../../../spec/index.ts'

export type Labels = Readonly<Record<string, string>>
export type Fields = Readonly<Record<string, unknown>>

export interface Container extends Fields {
  readonly name: string
  readonly image?: string
  readonly env?: readonly {
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } }
  }[]
  readonly envFrom?: readonly {
    readonly secretRef?: { readonly name: string }
    readonly configMapRef?: { readonly name: string }
  }[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[]
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels }
}

export interface Volume extends Fields {
  readonly name: string
  readonly configMap?: { readonly name: string }
  readonly persistentVolumeClaim?: { readonly claimName: string }
}

export interface PodSpec extends Fields {
  readonly containers: readonly Container[]
  readonly volumes?: readonly Volume[]
  readonly nodeName?: string
  readonly nodeSelector?: Labels
}

export interface Template {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels }
  readonly spec: PodSpec
}

interface State {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string }
}

export interface PodStatus {
  readonly phase?: string
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly reason?: string
    readonly message?: string
  }[]
  readonly containerStatuses?: readonly {
    readonly name: string
    readonly ready?: boolean
    readonly restartCount?: number
    readonly state?: State
    readonly lastState?: State
  }[]
}

export const labelsOf = ({ metadata }: ApiObject): Labels => (metadata.labels ?? {}) as Labels
export const annotationsOf = ({ metadata }: ApiObject): Labels => (metadata.annotations ?? {}) as Labels
export const specOf = <T extends object = Fields>({ spec }: ApiObject): T => (spec ?? {}) as T
export const statusOf = <T extends object = Fields>({ status }: ApiObject): T => (status ?? {}) as T

/** The uids of those to whom it belongs. */
export const ownersOf = ({ metadata }: ApiObject): readonly string[] =>
  ((metadata.ownerReferences ?? []) as readonly { uid: string }[]).map(({ uid }) => uid)

export const isSelected = (selector: Labels | undefined, labels: Labels): boolean => {
  const wanted = Object.entries(selector ?? {})
  return wanted.length > 0 && wanted.every(([name, value]) => labels[name] === value)
}
