/**
 * The route of a connection to a program in a pod: `loopback` as for clients in the same pod, `address` as
 * for clients in other pods.
 */
export type PodRoute = 'loopback' | 'address'
