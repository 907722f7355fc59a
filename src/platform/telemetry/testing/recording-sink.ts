/** A sink that keeps all signals for assertions. */
import type {
  Alert,
  ClusterEvent,
  JourneyRecord,
  LogLine,
  MetricSample,
  RequestRecord,
  Span,
  TelemetrySink,
} from '#spec'

export interface RecordingSink extends TelemetrySink {
  readonly seen: {
    spans: Span[]
    logs: LogLine[]
    metrics: MetricSample[]
    events: ClusterEvent[]
    requests: RequestRecord[]
    journeys: JourneyRecord[]
    alerts: Alert[]
  }
}

export const createRecordingSink = (): RecordingSink => {
  const seen: RecordingSink['seen'] = {
    spans: [],
    logs: [],
    metrics: [],
    events: [],
    requests: [],
    journeys: [],
    alerts: [],
  }
  return {
    seen,
    spans: (batch) => void seen.spans.push(...batch),
    logs: (batch) => void seen.logs.push(...batch),
    metrics: (batch) => void seen.metrics.push(...batch),
    events: (batch) => void seen.events.push(...batch),
    requests: (batch) => void seen.requests.push(...batch),
    journeys: (batch) => void seen.journeys.push(...batch),
    alert: (alert) => void seen.alerts.push(alert),
  }
}
