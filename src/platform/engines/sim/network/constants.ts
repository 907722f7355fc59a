/**
 * The parameters of the modelled network. Those of TCP are the defaults of Linux 6; where timers are coarse, they were measured
 * between pods of the local engine.
 */

/** The one-way latency between two programs on one machine, including the wake-up of the receiver. */
export const LATENCY_MS = 0.05
/** The time in which the cluster's DNS answers one question. */
export const DNS_WORK_MS = 0.3

/** The payload of a full segment: an MTU of 1500 without the headers of IP and TCP and the timestamps. */
export const SEGMENT_BYTES = 1448
/** The headers of a segment, including that of the frame; also the size of a pure acknowledgement. */
export const HEADER_BYTES = 66
/** A segment that opens a connection. */
export const SYN_BYTES = 74
/** A DNS question or answer. */
export const DATAGRAM_BYTES = 120

/** Segments that may be sent before the first acknowledgement. */
export const INITIAL_WINDOW = 10
/** The first retransmission timeout, without the round-trip time. The kernel's minimum is 200 ms. */
export const MIN_RTO_MS = 208
export const MAX_RTO_MS = 120_000
/** The wait before a probe if several segments are unacknowledged, without twice the round-trip time. */
export const PROBE_WAIT_MS = 10
/** The connection ends with ETIMEDOUT if a segment, a probe and 15 repetitions are lost, and the last timeout has passed. */
export const MAX_FAILURES = 17

/** The waits after each SYN; after the last one, the attempt ends with ETIMEDOUT, 131 s after its start. */
export const SYN_WAITS_MS: readonly number[] = [1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64].map((s) => s * 1000)
/** The waits of a server before it repeats its SYN-ACK without another SYN. */
export const SYN_ACK_WAITS_MS: readonly number[] = [1, 2, 4, 8, 16].map((s) => s * 1000)

/** The router reports an unreachable address to one sender at most this often: a burst, then one per second. */
export const MAX_ERROR_TOKENS = 5
export const ERROR_TOKEN_MS = 1000

/** Node.js runs name lookups on half of its four threads for slow work. */
export const MAX_PARALLEL_LOOKUPS = 2
