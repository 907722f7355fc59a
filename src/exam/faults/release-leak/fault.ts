/** Fault: a release with a memory leak. */
import { defineReleaseFault, raiseMemoryLimit } from '#exam/fault-parts'

export const fault = defineReleaseFault({
  name: 'release-leak',
  about: 'A new release leaks memory and spends its CPU on garbage collection until it is killed',
  category: 'memory-stress',
  layer: 'application',
  type: 'code-defect',
  defect: 'leak',
  effect: 'starved',
  symptoms: [
    'memory usage has grown steadily since the release',
    'the service pauses for longer and longer',
    'a container is killed when it exceeds its memory limit',
  ],
  hacks: [raiseMemoryLimit],
})
