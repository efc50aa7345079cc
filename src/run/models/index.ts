/** Models by name: bundled, drawn at random, from a server. */
export { loraSettings, loraText, LARGE_MODEL_NOTE, largeModelSettings } from './adapterSettings.ts';
export { address } from './besidePage.ts';
export { BUNDLED_FACTS, BUNDLED_MODELS, filesOfModel, openingModel } from './bundledModels.ts';
export { modelProblem } from './namedModels.ts';
export { modelOfPreset, modelTerms, RECOMMENDED_MODELS, type RecommendedModel } from './recommendedModels.ts';
export { type FoundRemote, lookUpModel } from './remoteModels.ts';
export { isScratchModel, makeScratchModel } from './scratchModels.ts';
export { SHAPE_NAMES, SHAPES } from './shapes.ts';
