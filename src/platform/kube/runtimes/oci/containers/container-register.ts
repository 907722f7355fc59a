/** The latest and the previous run of each container of a node, and those that are running. */
import { createRunRegister, type RunRegister } from '#platform/kube/containers'
import type { ContainerRegister } from './container-instance.ts'
import type { OciContainer } from './oci-container.ts'

export type OciRegister = RunRegister<OciContainer> & Pick<ContainerRegister, 'running' | 'allRunning'>

export const createContainerRegister = (): OciRegister => {
  const register = createRunRegister<OciContainer>()
  return {
    ...register,
    running(podUid, name) {
      const latest = register.latest(podUid, name)
      return latest?.pid === undefined ? undefined : latest
    },
    allRunning: () => register.all().filter(({ pid }) => pid !== undefined),
  }
}
