/** Refuses containers that would have access to the machine of the cluster. */
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Stored } from '#platform/kube/meta'
import { ContainerStartError } from '#platform/kube/ports'

/** Throws ContainerStartError for a spec that requests access to this machine. */
export const checkHostAccess = (pod: Stored<Pod>, { name, securityContext }: Container): void => {
  const refuse = (detail: string): never => {
    throw new ContainerStartError(
      `failed to create container "${name}": ${detail}, which would give access to the machine that the cluster runs on`,
      'create',
    )
  }
  if (securityContext?.privileged === true) refuse('it asks to be privileged')
  if (pod.spec.hostPID === true) refuse('its pod asks for the process namespace of the host')
  if (pod.spec.hostIPC === true) refuse('its pod asks for the IPC namespace of the host')
}
