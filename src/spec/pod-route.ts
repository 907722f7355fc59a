/** How a connection inside a pod reaches a program. `loopback`: as a local client. `address`: by the pod's address, as clients in other pods. */
export type PodRoute = 'loopback' | 'address'
