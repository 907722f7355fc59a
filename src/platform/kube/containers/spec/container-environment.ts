/** The environment of the main process of a container. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import { hostnameOf } from '#platform/kube/connectivity'
import type { Stored } from '#platform/kube/meta'

type Variables = Readonly<Record<string, string>>

export interface EnvironmentParts {
  readonly pod: Stored<Pod>
  readonly container: Container
  readonly image: { readonly environment?: Variables | undefined }
  /** From the spec. */
  readonly environment: Variables
  /** The PATH of an image that sets none. */
  readonly searchPath: string
}

/** Later variables override earlier ones. */
export const environmentOf = ({
  pod,
  container,
  image,
  environment,
  searchPath,
}: EnvironmentParts): Variables => ({
  PATH: searchPath,
  HOSTNAME: hostnameOf(pod),
  ...(container.tty === true ? { TERM: 'xterm' } : {}),
  ...image.environment,
  ...environment,
})
