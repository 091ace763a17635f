"""One call of every shipped mechanism: the private input by name, and public parameters under which it is small."""

EXAMPLES = {
    "adaptive_sparse_vector": (
        {"answers": [0, 3, 1, 5]},
        {"threshold": 2, "limit": 1, "margin": 1, "sensitivity": 2, "epsilon": 1},
    ),
    "between_thresholds": (
        {"answers": [0, 3, 1, 5]},
        {"low": 2, "high": 90, "sensitivity": 2, "epsilon": 1},
    ),
    "exponential_mechanism": ({"scores": [0, 2, 1]}, {"sensitivity": 2, "epsilon": 1}),
    "gap_sparse_vector": ({"answers": [0, 3, 1, 5]}, {"threshold": 2, "limit": 1, "sensitivity": 2, "epsilon": 1}),
    "gaussian_sums": ({"sums": [0, 3, 1, 5]}, {"sensitivity": 2, "rho": 1}),
    "histogram": ({"counts": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "k_ary_randomized_response": ({"choices": [0, 2, 1]}, {"k": 3, "epsilon": 1}),
    "noisy_count": ({"rows": [True, False, True]}, {"epsilon": 1}),
    "noisy_max": ({"scores": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "noisy_max_with_gap": ({"scores": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "noisy_min": ({"scores": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "noisy_sum": ({"values": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "noisy_sums": ({"sums": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "numeric_sparse_vector": (
        {"answers": [0, 3, 1, 5]},
        {"threshold": 2, "limit": 1, "sensitivity": 2, "epsilon": 1},
    ),
    "prefix_sum": ({"values": [0, 3, 1, 5]}, {"sensitivity": 2, "epsilon": 1}),
    "private_median": ({"rows": [0, 3, 1, 5]}, {"points": [0, 2, 4], "epsilon": 1}),
    "propose_test_release": ({"distance": 7, "value": 3}, {"bound": 2, "threshold": 5, "epsilon": 1}),
    "randomized_response": ({"truths": [True, False]}, {"epsilon": 1}),
    "smart_sum": ({"values": [0, 3, 1, 5]}, {"block": 2, "sensitivity": 2, "epsilon": 1}),
    "sparse_vector": ({"answers": [0, 3, 1, 5]}, {"threshold": 2, "limit": 1, "sensitivity": 2, "epsilon": 1}),
    "stable_histogram": ({"counts": [0, 3, 1, 5]}, {"threshold": 4, "epsilon": 1}),
    "top_k": ({"scores": [0, 3, 1, 5]}, {"k": 2, "floor": -100, "sensitivity": 2, "epsilon": 1}),
    "tree_counter": ({"values": [0, 3, 1, 5]}, {"levels": 2, "sensitivity": 2, "epsilon": 1}),
}
