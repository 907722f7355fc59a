/** The files in a volume take almost as much space as was claimed. */
import { defineAlertRule } from '../alert-rule.ts'

const MIN_SHARE = 0.9

export const volumeNearlyFull = defineAlertRule({
  name: 'VolumeNearlyFull',
  severity: 'ticket',
  *find({ volumes }) {
    for (const { pod, reading } of volumes) {
      const { claim, usedBytes, capacityBytes } = reading
      if (usedBytes < MIN_SHARE * capacityBytes) continue
      const share = Math.round((100 * usedBytes) / capacityBytes)
      yield {
        labels: { service: pod.service, pod: pod.name, persistentvolumeclaim: claim },
        summary: `The volume of the claim ${claim} is ${share} % full`,
      }
    }
  },
})
