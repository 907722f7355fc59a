/** Converts a line of a container to a signal. */
import type { LogLine } from '#spec'
import type { CollectedLine } from './collected-sink.ts'
import { parseSeverity } from './parse-severity.ts'

export const toLogLine = ({ time, pod, container, text }: CollectedLine): LogLine => ({
  time,
  namespace: pod.namespace,
  service: pod.service,
  pod: pod.name,
  container,
  severity: parseSeverity(text),
  text,
})
