export function cacheFolder(env: NodeJS.ProcessEnv): string;
export function filled(text: string | undefined): text is string;
export function given(text: string | undefined, ...otherwise: string[]): string;
