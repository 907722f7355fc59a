/** The addresses that mean the same in every cluster. */
/** The API server, and whoever else reaches into the cluster from outside. */
export const OUTSIDE_ADDRESS = '172.18.0.1'
export const DNS_ADDRESS = '10.96.0.10'
export const CLUSTER_DOMAIN = 'cluster.local'
export const SERVICE_RANGE = '10.96.0.0/12'
/** What every pod takes for its router. */
export const POD_ROUTER = '169.254.1.1'
