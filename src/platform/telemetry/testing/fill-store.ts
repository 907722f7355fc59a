/** Writes a set of signals to a sink. */
import type { TelemetrySink } from '#spec'
import type { SignalSet } from './sample-signals.ts'

export const fillStore = (sink: TelemetrySink, signals: SignalSet): void => {
  sink.spans(signals.spans)
  sink.logs(signals.logs)
  sink.metrics(signals.metrics)
  sink.events(signals.events)
  sink.requests(signals.requests)
  sink.journeys(signals.journeys)
  for (const alert of signals.alerts) {
    const { cleared: _cleared, ...raised } = alert
    // An alert is written when it is raised, and again when it is cleared.
    sink.alert(raised)
    if (alert.cleared !== undefined) sink.alert(alert)
  }
}
