/**
 * The diagnosis report: `label` names the service and the failure category, as MicroRemed does; `symptoms` describes what telemetry
 * shows, without the cause; `none` says only that a user has complained.
 */
export type ReportKind = 'label' | 'symptoms' | 'none'
